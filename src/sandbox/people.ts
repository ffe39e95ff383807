import type { Channel } from '../contract/channels.ts';
import type { ReportStatus } from '../providers/callbackContent.ts';
import type { ProviderResponse } from '../providers/provider.ts';

/** How the sandbox's provider answers a message to a person, and the reports it sends afterwards. */
export interface Behaviour {
  answer: Exclude<ProviderResponse['outcome'], 'not_set_up'>;
  refusal?: 'message' | 'not_on_whatsapp';
  reports: readonly ReturnType<typeof report>[];
}

/** Fast enough for a person who watches the page, and in the order of a real provider. */
const FIRST_REPORT_MS = 300;
const SECOND_REPORT_MS = 600;

const report = (status: ReportStatus, afterMs = FIRST_REPORT_MS, errorCode: string | null = null) => ({
  status,
  errorCode,
  afterMs,
});

const delivers: Behaviour = { answer: 'accepted', reports: [report('delivered')] };
const silent: Behaviour = { answer: 'accepted', reports: [] };
const refuses: Behaviour = { answer: 'refused', refusal: 'message', reports: [] };
const unknownOutcome: Behaviour = { answer: 'unknown', reports: [] };
const unreachable: Behaviour = { answer: 'not_taken', reports: [] };
const unreachableTwice = (attempt: number): Behaviour => (attempt <= 2 ? unreachable : delivers);

type Person = (channel: Channel, attempt: number) => Behaviour;

const people: Readonly<Record<string, Person>> = {
  silent: () => silent,
  bounce: () => ({ answer: 'accepted', reports: [report('bounced', FIRST_REPORT_MS, 'mailbox_unknown')] }),
  complain: () => ({
    answer: 'accepted',
    reports: [report('delivered'), report('complained', SECOND_REPORT_MS)],
  }),
  refuse: () => refuses,
  unknown: () => unknownOutcome,
  flaky: (_, attempt) => unreachableTwice(attempt),
  down: () => unreachable,
};

const numbers: Readonly<Record<string, Person>> = {
  '9001': () => refuses,
  '9002': () => unknownOutcome,
  '9003': () => ({ answer: 'accepted', reports: [report('failed', FIRST_REPORT_MS, 'handset_unreachable')] }),
  '9004': () => silent,
  '9005': (channel) =>
    channel === 'whatsapp' ? { answer: 'refused', refusal: 'not_on_whatsapp', reports: [] } : delivers,
  '9006': (_, attempt) => unreachableTwice(attempt),
  '9007': () => unreachable,
  '9008': (channel) =>
    channel === 'whatsapp'
      ? { answer: 'accepted', reports: [report('delivered'), report('read', SECOND_REPORT_MS)] }
      : delivers,
};

/**
 * The simulated people, found by the part of their address before `+` or `@`, or by the last four digits of their number.
 * `attempt` counts from 1.
 */
export function behaviourOf(channel: Channel, to: string, attempt: number): Behaviour {
  const name = channel === 'email' ? (to.split(/[+@]/)[0] ?? '').toLowerCase() : to.slice(-4);
  const special = channel === 'email' ? people : numbers;
  return Object.hasOwn(special, name) ? (special[name]?.(channel, attempt) ?? delivers) : delivers;
}
