import { channels } from './channels.ts';
import { outcomes } from './push.ts';
import { Bool, Component, Int, List, Nullable, OneOf, Text, Timestamp, type ValueOf } from './schema.ts';

/** When a nudge would go: at once, at `send_at`, if the message is still unread, or if WhatsApp fails. */
const nudgeTimes = ['now', 'scheduled', 'if_unread', 'if_whatsapp_fails'] as const;

export const PreviewedNudge = Component('PreviewedNudge', {
  channel: OneOf(channels),
  when: OneOf(nudgeTimes),
  at: Nullable(
    Timestamp(),
    'The time of a scheduled nudge, or the deadline of one that goes if unread; otherwise null.',
  ),
  credits: Int('What it would cost.'),
  subject: Nullable(Text(), 'Of an email; otherwise null.'),
  text: Text(
    'Exactly what the person would read, with `{link}` where the link goes, and `{unsubscribe}` in an email.',
  ),
  template: Nullable(Text(), 'The name of the WhatsApp template; otherwise null.'),
});
export type PreviewedNudge = ValueOf<typeof PreviewedNudge>;

export const PushPreview = Component('PushPreview', {
  created: Bool('true: a new message; false: an update in place.'),
  nudged: Bool(),
  scheduled_for: Nullable(Timestamp()),
  ...outcomes,
  updates: Nullable(Text(), 'The message that would be updated in place, or null.'),
  obsoletes: List(Text(), 'The ids that would be marked obsolete, of those named.'),
  nudges: List(
    PreviewedNudge,
    'Every nudge this push could lead to: certain ones first, then conditional ones.',
  ),
  balance_after: Int('The credits left once everything that is not conditional has been charged.'),
  language: Text('The language of the nudges.'),
});
export type PushPreview = ValueOf<typeof PushPreview>;
