import type { Channel, PaidChannel } from '../contract/channels.ts';
import type { TimelineItem } from '../contract/messages.ts';
import type { Queryable } from '../db/statement.ts';
import { later, MINUTE } from '../kit/clock.ts';
import type { HistoryType } from '../outbox/historyOfSend.ts';
import { NOT_NEEDED, OPENED_FIRST, OUTCOME_UNKNOWN } from '../outbox/states.ts';
import { codeSentence } from '../providers/codeWords.ts';
import { isConditional } from '../usage/counters.ts';
import { refusalsOf } from './delivery.ts';
import { type Fact, type FactDetails, fact, type HistoryOfSend, isPaid, whatOf } from './timelineFacts.ts';
import { readTimeline, type TimelineAttempt, type TimelineRow, type TimelineSend } from './timelineSql.ts';
import { type Happening, timelineSentence } from './timelineWords.ts';

/** Everything that was decided about a message and happened to it, oldest first. Null: no such message. */
export async function viewTimeline(db: Queryable, businessId: string, messageId: string) {
  const [row] = await readTimeline(db, businessId, messageId);
  return row ? { items: timelineOf(row) } : null;
}

/** An item with what only the pages show beside it. */
export type StoryItem = TimelineItem & Pick<Fact, 'code' | 'sendId' | 'pusher'>;

export const timelineOf = (row: TimelineRow): TimelineItem[] =>
  storyOf(row).map(({ code: _code, sendId: _sendId, pusher: _pusher, ...item }) => item);

/** Facts of one moment keep their order here: the message first, then its sends, each from cause to effect. */
export function storyOf(row: TimelineRow): StoryItem[] {
  const facts = [
    fact({ kind: 'pushed', channel: null }, row.created_at, byWhom(row, row.created_at, row.pushed_by)),
    ...historyOf(row, 'message.updated').map(({ at, detail }) =>
      fact({ kind: 'updated', channel: null }, at, byWhom(row, at, detail)),
    ),
    ...historyOf(row, 'message.already_told').map(({ at }) =>
      fact({ kind: 'skipped', channel: null }, at, { reason: 'already_told' }),
    ),
    ...onceAt('opened', row.opened_at),
    ...historyOf(row, 'message.reopened').flatMap(({ at }) => onceAt('opened', at)),
    ...onceAt('obsoleted', row.obsoleted_at),
    ...onceAt('retracted', row.retracted_at),
    ...refusalsOf(row).map(({ channel, reason, at }) => fact({ kind: 'skipped', channel }, at, { reason })),
    ...row.sends.toSorted(inOrderOfPlan).flatMap((send) => factsOf(send, row)),
  ];
  return facts.toSorted((a, b) => a.at.getTime() - b.at.getTime()).map(itemOf);
}

const historyOf = ({ history }: TimelineRow, type: HistoryType) =>
  history.filter((entry) => entry.type === type);

/** Whether a tracking event or a caller pushed at that moment. */
const byWhom = (row: TimelineRow, at: Date | string, pusher: string | null): FactDetails => ({
  pusher,
  about: historyOf(row, 'message.milestone').some(
    (entry) => new Date(entry.at).getTime() === new Date(at).getTime(),
  )
    ? 'tracking'
    : null,
});

const onceAt = (kind: Extract<Happening, { channel: null }>['kind'], at: Date | string | null): Fact[] =>
  at === null ? [] : [fact({ kind, channel: null }, at)];

/** The ids of one push's sends are in no order. A WhatsApp message comes before the text that stands in for it. */
const inOrderOfPlan = (a: TimelineSend, b: TimelineSend): number =>
  new Date(a.created_at).getTime() - new Date(b.created_at).getTime() || place[a.channel] - place[b.channel];

const place: Record<Channel, number> = { email: 0, whatsapp: 1, sms: 2 };

const itemOf = (one: Fact): StoryItem => {
  const sentence = timelineSentence(one, one.about, one);
  const cause = one.code === null || EXPLAINED.includes(one.about) ? null : codeSentence(one.code);
  return {
    at: one.at.toISOString(),
    kind: one.kind,
    channel: one.channel,
    reason: one.reason,
    credits: one.credits,
    says: cause === null ? sentence : `${sentence} ${cause}`,
    code: one.code,
    sendId: one.sendId,
    pusher: one.pusher,
  };
};

/** Reasons whose sentence says all that the provider's code does. */
const EXPLAINED: readonly (string | null)[] = [
  'platform_limited',
  'stopped',
  'not_reachable',
  'template_not_sendable',
];

function factsOf(send: TimelineSend, row: TimelineRow): Fact[] {
  const history = row.history.filter(({ send_id }) => send_id === send.id);
  return [
    ...begun(send, history),
    ...released(send, history),
    ...charges(send, 'charge'),
    ...send.tried.flatMap((attempt) => tried(send, attempt)),
    ...underWay(send),
    ...history.flatMap((entry) => reported(send, entry)),
    ...failedAfterAll(send),
    ...ended(send, history, row),
    ...charges(send, 'refund'),
  ].map((one) => ({ ...one, sendId: send.id }));
}

/** Whether it was held at first. A resend makes an ordinary send of it, later than it was created. */
function wasHeld(send: TimelineSend, history: HistoryOfSend): boolean {
  if (send.purpose !== 'resend') return isConditional(send);
  return history.some((entry) => whatOf(entry) === 'resent' && entry.at !== send.created_at);
}

/** How the send began: planned, held, or skipped by its push. */
function begun(send: TimelineSend, history: HistoryOfSend): Fact[] {
  const { channel, created_at: at } = send;
  // An email that its push skipped was never planned.
  if (send.state === 'skipped' && send.last_status_at === at) return [];
  if (!isPaid(send)) return [fact({ kind: 'planned', channel }, at)];
  const about = send.fallback_of === null ? null : 'fallback';
  if (wasHeld(send, history)) return [fact({ kind: 'armed', channel: send.channel }, at, { about })];
  if (send.purpose === 'resend') return [];
  const planned: Happening =
    send.purpose === 'fallback'
      ? { kind: 'fallback_sent', channel: 'sms' }
      : { kind: 'planned', channel: send.channel };
  return [fact(planned, at), ...reserved(send, at)];
}

const reserved = (send: TimelineSend & { channel: PaidChannel }, at: string): Fact[] =>
  send.credits === 0
    ? []
    : [fact({ kind: 'credits_reserved', channel: send.channel }, at, { credits: send.credits })];

const QUIET_HOURS = 'quiet_hours';

/** When a send got a new time, or a held one was queued: at its deadline, instead of WhatsApp, or by a resend. */
function released(send: TimelineSend, history: HistoryOfSend): Fact[] {
  if (!isPaid(send)) return [];
  const { channel } = send;
  return history.flatMap((entry, index): Fact[] => {
    const { detail, at } = entry;
    switch (whatOf(entry)) {
      case 'rescheduled': {
        const details = detail === null ? { about: 'email_not_out' } : { deadline: new Date(detail) };
        return [fact({ kind: 'rescheduled', channel }, at, details)];
      }
      case 'deferred': {
        // Judged again after a change of the quiet hours that left their end as it was.
        const last = history.slice(0, index).findLast(({ type }) => type === entry.type);
        if (last?.detail === detail) return [];
        const deadline = detail === null ? null : new Date(detail);
        return [
          fact({ kind: 'rescheduled', channel }, at, {
            reason: QUIET_HOURS,
            deadline,
            country: send.country,
          }),
        ];
      }
      case 'planned':
        return [fact({ kind: 'planned', channel }, at, { about: 'unread' }), ...reserved(send, at)];
      case 'fallback_sent':
        return [fact({ kind: 'fallback_sent', channel: 'sms' }, at), ...reserved(send, at)];
      case 'resent':
        return [fact({ kind: 'resent', channel }, at), ...reserved(send, at)];
      default:
        return [];
    }
  });
}

function charges(send: TimelineSend, which: 'charge' | 'refund'): Fact[] {
  if (!isPaid(send)) return [];
  const kind = which === 'charge' ? 'credits_charged' : 'credits_refunded';
  return send.ledger
    .filter((entry) => entry.kind === which)
    .map(({ amount, at }) => fact({ kind, channel: send.channel }, at, { credits: Math.abs(amount) }));
}

function tried(send: TimelineSend, by: TimelineAttempt) {
  const { attempt, outcome, error_code, started_at, ended_at } = by;
  const { channel } = send;
  const isLast = attempt >= send.attempts && send.state === 'rejected';
  const facts = [fact({ kind: 'submitted', channel }, started_at, { by })];
  if (outcome === 'accepted') facts.push(fact({ kind: 'accepted', channel }, ended_at, { by }));
  // The last refusal and an unknown outcome have an event of their own.
  if ((outcome === 'refused' || outcome === 'not_taken') && !isLast)
    facts.push(fact({ kind: 'retried', channel }, ended_at, { reason: error_code, code: error_code, by }));
  return facts;
}

/** A call whose outcome is not recorded yet has no attempt. */
const underWay = ({ channel, attempts, tried, submitted_at }: TimelineSend): Fact[] =>
  submitted_at !== null && !tried.some(({ attempt }) => attempt === attempts)
    ? [fact({ kind: 'submitted', channel }, submitted_at)]
    : [];

/** The webhook events in the history; `ended` covers those about sends that did not go out. */
function reported(send: TimelineSend, entry: HistoryOfSend[number]): Fact[] {
  const { channel } = send;
  const { detail, at } = entry;
  const what = whatOf(entry);
  switch (what) {
    case 'delivered':
      return [fact({ kind: 'delivered', channel }, at)];
    case 'bounced':
    case 'complained':
      return [fact({ kind: what, channel: 'email' }, at, { code: send.error_code })];
    case 'read':
      return [fact({ kind: 'read', channel: 'whatsapp' }, at)];
    case 'failed':
      return [
        fact({ kind: 'failed', channel }, at, {
          reason: failureOf(send, detail),
          code: codeOf(send, detail),
        }),
      ];
    case 'rejected':
      return isPaid(send)
        ? [
            fact({ kind: 'rejected', channel: send.channel }, at, {
              reason: detail,
              code: codeOf(send, detail),
            }),
          ]
        : [];
    default:
      return [];
  }
}

/** An email fails for a reason, a paid message with an error code. */
function failureOf(send: TimelineSend, detail: string | null): string | null {
  if (!isPaid(send)) return detail;
  if (detail === OUTCOME_UNKNOWN) return `${send.channel}.submit_outcome_unknown`;
  return send.error_code ?? `${send.channel}.undelivered`;
}

/** The provider's own word: of its report, or of the last attempt. An unknown outcome has none. */
function codeOf({ channel, error_code, tried }: TimelineSend, detail: string | null): string | null {
  if (detail === OUTCOME_UNKNOWN) return null;
  const isOurs = error_code === null || error_code.startsWith(`${channel}.`);
  return (isOurs ? tried.at(-1)?.error_code : error_code) ?? error_code;
}

/** A report that a send of unknown outcome was not delivered changes nothing but that, and leaves no event. */
const failedAfterAll = ({ channel, state, error_code, reason, last_status_at }: TimelineSend): Fact[] =>
  state === 'failed' &&
  reason === UNDELIVERED &&
  error_code === `${channel}.submit_outcome_unknown` &&
  last_status_at !== null
    ? [fact({ kind: 'failed', channel }, last_status_at, { reason: UNDELIVERED })]
    : [];

const UNDELIVERED = 'undelivered';

/** A send that was skipped or cancelled, and the credits that were set aside for it. */
function ended(send: TimelineSend, history: HistoryOfSend, row: TimelineRow): Fact[] {
  const { state, reason, created_at, last_status_at } = send;
  if (state !== 'skipped' && state !== 'cancelled') return [];
  const at = last_status_at ?? created_at;
  const details: FactDetails = {
    reason: reason === NOT_NEEDED ? null : reason,
    about: reason,
    minutesBefore: reason === OPENED_FIRST ? minutesBeforeDeadline(send, history, row) : null,
  };
  const wasReserved =
    isPaid(send) && send.credits > 0 && wasQueued(send, history) && send.ledger.length === 0;
  return [
    fact({ kind: state, channel: send.channel }, at, details),
    ...(wasReserved
      ? [fact({ kind: 'credits_released', channel: send.channel }, at, { credits: send.credits })]
      : []),
  ];
}

const wasQueued = (send: TimelineSend & { channel: PaidChannel }, history: HistoryOfSend): boolean =>
  !wasHeld(send, history) ||
  history.some((entry) => ['planned', 'fallback_sent', 'resent'].includes(whatOf(entry)));

/** The opening cancelled it. Null where there was no deadline: a text that waits for WhatsApp or for the email has none. */
function minutesBeforeDeadline(send: TimelineSend, history: HistoryOfSend, { scheduled_for }: TimelineRow) {
  const { created_at, escalate_minutes, last_status_at } = send;
  if (!isPaid(send) || escalate_minutes === null || last_status_at === null) return null;
  const moved = history.findLast((entry) => ['rescheduled', 'deferred'].includes(whatOf(entry)))?.detail;
  if (moved === null) return null;
  const emailAt = new Date(Math.max(new Date(created_at).getTime(), scheduled_for?.getTime() ?? 0));
  const deadline = moved === undefined ? later(emailAt, escalate_minutes * MINUTE) : new Date(moved);
  const minutes = Math.floor((deadline.getTime() - new Date(last_status_at).getTime()) / MINUTE);
  return minutes < 0 ? null : minutes;
}
