import type { Delivery, ListedMessage, PaidDelivery } from '../../../../contract/messages.ts';
import { Badge, type BadgeTone } from '../../shell/components.tsx';

interface Outcome {
  tone: BadgeTone;
  text: string;
}

/** What became of a message at a glance: its status where it is not current, then each channel. */
export function OutcomeBadges({ message }: { message: ListedMessage }): JSX.Element {
  return <>{outcomesOf(message).map((outcome) => [<Badge {...outcome} />, ' '])}</>;
}

export function outcomesOf({ status, scheduled_for, delivery }: ListedMessage): Outcome[] {
  return [
    ...(status === 'active' ? [] : [STATUS[status]]),
    emailOutcome(delivery, scheduled_for !== null),
    ...paidOutcome('Text', 'text', delivery.sms),
    ...paidOutcome('WhatsApp', 'WhatsApp', delivery.whatsapp),
  ];
}

const STATUS: Record<Exclude<ListedMessage['status'], 'active'>, Outcome> = {
  obsolete: { tone: 'plain', text: 'Replaced' },
  retracted: { tone: 'plain', text: 'Taken back' },
};

/** The worst first, except that a person who opened the message has it, whatever became of the email. */
function emailOutcome(delivery: Delivery, isScheduled: boolean): Outcome {
  if (delivery.complained) return { tone: 'bad', text: 'Marked as spam' };
  if (delivery.opened) return { tone: 'good', text: 'Opened' };
  if (delivery.bounced) return { tone: 'bad', text: 'Email bounced' };
  if (delivery.failed) return { tone: 'bad', text: 'Email failed' };
  if (delivery.not_sent) return { tone: 'waiting', text: 'No email' };
  if (delivery.delivered) return { tone: 'good', text: 'Email delivered' };
  return { tone: 'plain', text: isScheduled ? 'Email scheduled' : 'Email under way' };
}

function paidOutcome(name: string, noun: string, delivery: PaidDelivery | null): Outcome[] {
  if (delivery === null) return [];
  const of: Record<PaidDelivery['status'], Outcome> = {
    queued: { tone: 'plain', text: `${name} under way` },
    delivered: { tone: 'good', text: `${name} delivered` },
    read: { tone: 'good', text: `${name} read` },
    failed: { tone: 'bad', text: `${name} failed` },
    rejected: { tone: 'bad', text: `${name} refused` },
    skipped: { tone: 'waiting', text: `No ${noun}` },
  };
  return [of[delivery.status]];
}
