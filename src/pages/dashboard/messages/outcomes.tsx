import { type Channel, paidChannels } from '../../../contract/channels.ts';
import type { Delivery } from '../../../contract/messages.ts';
import { type EmailOutcomeName, OUTCOME_WORDS, type PaidOutcomeName } from '../../../messages/outcomes.ts';
import type { MessageWithPlan } from '../../../messages/plans.ts';
import { type Happening, sentenceCase, timelineSentence } from '../../../messages/timelineWords.ts';
import type { UpcomingSend } from '../../../messages/upcoming.ts';
import { CHANNEL_TITLES } from '../../kit/channelWords.ts';
import { Badge, type BadgeTone, ZonedTime } from '../../kit/components.tsx';

/** `name`: the channel's, with which the text begins; `isWell`: in a list it is enough. */
type ShownOutcome =
  | { tone: BadgeTone; text: string; name?: string; isWell?: boolean; why?: string }
  | UpcomingSend;

/** What became of a message: its status where it is not current, then each channel. */
export function OutcomeBadges({ message }: { message: MessageWithPlan }) {
  return <>{badgesOf(message).map((outcome) => [<OutcomeBadge outcome={outcome} />, ' '])}</>;
}

/** The same at a glance: of a channel that is well only its name is seen, so that what failed stands out. */
export function OutcomeMarks({ message }: { message: MessageWithPlan }) {
  return <>{badgesOf(message).map((outcome) => [<OutcomeMark outcome={outcome} />, ' '])}</>;
}

function OutcomeMark({ outcome }: { outcome: ShownOutcome }) {
  if ('at' in outcome) {
    const { channel, at } = outcome;
    const [before, after] = wordsAround(outcome);
    return (
      <span class="badge plain short upcoming" title={after.trim() || before}>
        {CHANNEL_TITLES[channel]} <Unseen text={`${before} `} />
        <ZonedTime at={at} near />
        <Unseen text={after} />
      </span>
    );
  }
  const { tone, text, name, isWell = false, why } = outcome;
  if (name === undefined) return <OutcomeBadge outcome={outcome} />;
  const rest = text.slice(name.length);
  return (
    <>
      <span class={`badge ${tone}${isWell ? ' short' : ''}`} title={text}>
        {name}
        {isWell ? <Unseen text={rest} /> : <span class="rest">{rest}</span>}
      </span>
      {why !== undefined && <span class="hint">{` ${why}`}</span>}
    </>
  );
}

const Unseen = ({ text }: { text: string }) => <span class="visually-hidden">{text}</span>;

function OutcomeBadge({ outcome }: { outcome: ShownOutcome }) {
  if ('at' in outcome)
    return (
      <span class="badge plain">
        {CHANNEL_TITLES[outcome.channel]} <UpcomingTime {...outcome} />
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
export function UpcomingTime(upcoming: Omit<UpcomingSend, 'channel'>) {
  const [before, after] = wordsAround(upcoming);
  return (
    <>
      {before} <ZonedTime at={upcoming.at} near />
      {after}
    </>
  );
}

const wordsAround = ({ condition, quietUntil }: Omit<UpcomingSend, 'channel'>): [string, string] => [
  condition === null ? (quietUntil === null ? 'goes out' : 'waits until') : 'at',
  `${quietUntil === null ? '' : ` (${quietUntil}: quiet hours)`}${condition === null ? '' : CONDITIONS[condition]}`,
];

/** An opening says that a delivered email arrived. It does not hide what went wrong with an email. */
export function badgesOf({ status, outcomes, delivery, upcoming }: MessageWithPlan): ShownOutcome[] {
  const planned = (channel: Channel) => upcoming.filter((one) => one.channel === channel);
  const { email } = outcomes;
  const faults = EMAIL_FAULTS.filter((fault) => email.includes(fault) && !hasFiner(fault, email));
  const isShown = (outcome: EmailOutcomeName): boolean =>
    outcome === 'opened' || (outcome === 'delivered' && faults.length === 0 && !email.includes('opened'));
  return [
    ...(status === 'active' ? [] : [STATUS[status]]),
    ...[...faults, ...email.filter(isShown)].map((outcome) => badgeOf('email', outcome, delivery)),
    ...comingBadges('email', email, planned('email'), delivery),
    ...paidChannels.flatMap((channel) => [
      ...outcomes[channel]
        .filter((outcome) => !NO_END.includes(outcome) && !hasFiner(outcome, outcomes[channel]))
        .map((outcome) => badgeOf(channel, outcome, delivery)),
      ...comingBadges(channel, outcomes[channel], planned(channel), delivery),
    ]),
  ];
}

const STATUS: Record<Exclude<MessageWithPlan['status'], 'active'>, ShownOutcome> = {
  obsolete: { tone: 'plain', text: 'Replaced' },
  retracted: { tone: 'plain', text: 'Retracted' },
};

type AnyOutcome = EmailOutcomeName | PaidOutcomeName;

/** The worst first. */
const EMAIL_FAULTS = ['complained', 'bounced', 'unknown', 'rejected', 'failed', 'not_sent'] as const;

const hasFiner = (outcome: AnyOutcome, all: readonly AnyOutcome[]): boolean =>
  outcome === 'failed' && (all.includes('unknown') || all.includes('rejected'));

/** What is still to come: its time stands for it, where there is one. */
const TO_COME: readonly AnyOutcome[] = ['under_way', 'queued', 'held'];
const NO_END: readonly AnyOutcome[] = [...TO_COME, 'none'];

function comingBadges(
  channel: Channel,
  outcomes: readonly AnyOutcome[],
  planned: readonly UpcomingSend[],
  delivery: Delivery,
): readonly ShownOutcome[] {
  if (planned.length > 0) return planned;
  return outcomes
    .filter((outcome) => TO_COME.includes(outcome))
    .map((outcome) => badgeOf(channel, outcome, delivery));
}

const TONES: Record<AnyOutcome, BadgeTone> = {
  delivered: 'good',
  opened: 'good',
  read: 'good',
  bounced: 'bad',
  complained: 'bad',
  failed: 'bad',
  rejected: 'bad',
  unknown: 'bad',
  not_sent: 'waiting',
  skipped: 'waiting',
  under_way: 'plain',
  queued: 'plain',
  held: 'plain',
  not_needed: 'plain',
  none: 'plain',
};

const WELL: readonly AnyOutcome[] = ['delivered', 'read', 'under_way', 'queued'];

/** These are said of the message, not of its email. */
const OF_MESSAGE: readonly AnyOutcome[] = ['opened', 'complained'];

function badgeOf(channel: Channel, outcome: AnyOutcome, delivery: Delivery): ShownOutcome {
  const tone = TONES[outcome];
  const word = OUTCOME_WORDS[outcome];
  if (OF_MESSAGE.includes(outcome)) return { tone, text: sentenceCase(word) };
  const name = CHANNEL_TITLES[channel];
  const text = `${name} ${word}`;
  if (outcome !== 'not_sent' && outcome !== 'skipped')
    return { tone, text, name, isWell: WELL.includes(outcome) };
  const reason = channel === 'email' ? delivery.not_sent?.reason : delivery[channel]?.skipped_reason;
  const why = whyNotSent(channel, reason ?? null);
  return { tone, text, name, ...(why !== undefined && { why }) };
}

/** As the message's own page says it: `No SMS: the customer has unsubscribed.` */
function whyNotSent(channel: Channel, reason: string | null): string | undefined {
  const skipped: Happening = { kind: 'skipped', channel };
  return timelineSentence(skipped, reason).slice(0, -'.'.length).split(': ')[1];
}
