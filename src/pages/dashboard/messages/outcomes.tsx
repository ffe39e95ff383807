import type { PaidChannel } from '../../../contract/channels.ts';
import type { Delivery, PaidDelivery } from '../../../contract/messages.ts';
import type { MessageWithPlan } from '../../../messages/plans.ts';
import { type Happening, timelineSentence } from '../../../messages/timelineWords.ts';
import type { UpcomingSend } from '../../../messages/upcoming.ts';
import { Badge, type BadgeTone, ZonedTime } from '../../kit/components.tsx';

type Outcome = { tone: BadgeTone; text: string; why?: string } | UpcomingSend;

const NAMES = { email: 'Email', sms: 'SMS', whatsapp: 'WhatsApp' } as const;

/** What became of a message at a glance: its status where it is not current, then each channel. */
export function OutcomeBadges({ message }: { message: MessageWithPlan }) {
  return <>{outcomesOf(message).map((outcome) => [<OutcomeBadge outcome={outcome} />, ' '])}</>;
}

function OutcomeBadge({ outcome }: { outcome: Outcome }) {
  if ('at' in outcome)
    return (
      <span class="badge plain">
        {NAMES[outcome.channel]} <UpcomingTime {...outcome} />
      </span>
    );
  return (
    <>
      <Badge tone={outcome.tone} text={outcome.text} />
      {outcome.why !== undefined && <span class="hint">{` ${outcome.why}`}</span>}
    </>
  );
}

const CONDITIONS = { unread: ' if still unread', whatsapp_fails: ' if WhatsApp does not arrive' } as const;

/** When a send goes out, and what it still takes; follows the name of its channel. */
export const UpcomingTime = ({ at, condition, quietUntil }: Omit<UpcomingSend, 'channel'>) => (
  <>
    {condition === null ? (quietUntil === null ? 'goes out ' : 'waits until ') : 'at '}
    <ZonedTime at={at} near />
    {quietUntil !== null && ` (${quietUntil}: quiet hours)`}
    {condition !== null && CONDITIONS[condition]}
  </>
);

export function outcomesOf({ status, delivery, upcoming }: MessageWithPlan): Outcome[] {
  const planned = (channel: UpcomingSend['channel']) => upcoming.filter((one) => one.channel === channel);
  return [
    ...(status === 'active' ? [] : [STATUS[status]]),
    ...emailBadges(delivery, planned('email')),
    ...paidBadges('sms', delivery.sms, planned('sms')),
    ...paidBadges('whatsapp', delivery.whatsapp, planned('whatsapp')),
  ];
}

const STATUS: Record<Exclude<MessageWithPlan['status'], 'active'>, Outcome> = {
  obsolete: { tone: 'plain', text: 'Replaced' },
  retracted: { tone: 'plain', text: 'Retracted' },
};

/** An opening says that a delivered email arrived. It does not hide what went wrong with an email. */
function emailBadges(delivery: Delivery, planned: UpcomingSend[]): Outcome[] {
  const wrong = emailFault(delivery);
  const past = wrong === null ? [] : [wrong];
  if (delivery.opened) past.push({ tone: 'good', text: 'Opened' });
  else if (delivery.delivered && wrong === null) past.push({ tone: 'good', text: 'Email delivered' });
  if (past.length + planned.length === 0) return [{ tone: 'plain', text: 'Email under way' }];
  return [...past, ...planned];
}

/** The worst first. */
function emailFault({ complained, bounced, failed, not_sent }: Delivery): Outcome | null {
  if (complained) return { tone: 'bad', text: 'Marked as spam' };
  if (bounced) return { tone: 'bad', text: 'Email bounced' };
  if (failed) return { tone: 'bad', text: 'Email failed' };
  return not_sent ? notSent('email', not_sent.reason) : null;
}

function paidBadges(channel: PaidChannel, delivery: PaidDelivery | null, planned: UpcomingSend[]): Outcome[] {
  const name = NAMES[channel];
  if (delivery === null || (delivery.status === 'queued' && planned.length > 0)) return planned;
  const of: Record<PaidDelivery['status'], Outcome> = {
    queued: { tone: 'plain', text: `${name} under way` },
    delivered: { tone: 'good', text: `${name} delivered` },
    read: { tone: 'good', text: `${name} read` },
    failed: { tone: 'bad', text: `${name} failed` },
    rejected: { tone: 'bad', text: `${name} refused` },
    skipped: notSent(channel, delivery.skipped_reason),
  };
  return [of[delivery.status], ...planned];
}

/** With the reason as the message's own page says it: `No text: the customer has unsubscribed.` */
function notSent(channel: keyof typeof NAMES, reason: string | null): Outcome {
  const skipped: Happening = { kind: 'skipped', channel };
  const sentence = timelineSentence(skipped, reason, { credits: null, minutesBefore: null });
  const [, why] = sentence.slice(0, -'.'.length).split(': ');
  return { tone: 'waiting', text: `${NAMES[channel]} not sent`, ...(why !== undefined && { why }) };
}
