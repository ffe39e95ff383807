import type { ReportStatus } from '../callbacks/afterReport.ts';
import type { Channel } from '../contract/channels.ts';
import type { ProviderResponse } from '../providers/provider.ts';

/** What the sandbox's provider does with a message for somebody, and what it reports afterwards. */
export interface Behaviour {
  answer: Exclude<ProviderResponse['outcome'], 'not_set_up'>;
  refusal?: 'message' | 'not_on_whatsapp';
  reports: readonly PlannedReport[];
}

export interface PlannedReport {
  status: ReportStatus;
  errorCode: string | null;
  afterMs: number;
}

/** Reports come quickly, so that a person watching sees them, and in their natural order. */
const FIRST_REPORT_MS = 300;
const SECOND_REPORT_MS = 600;

const report = (
  status: ReportStatus,
  afterMs = FIRST_REPORT_MS,
  errorCode: string | null = null,
): PlannedReport => ({
  status,
  errorCode,
  afterMs,
});

const arrives: Behaviour = { answer: 'accepted', reports: [report('delivered')] };
const silent: Behaviour = { answer: 'accepted', reports: [] };
const refuses: Behaviour = { answer: 'refused', refusal: 'message', reports: [] };
const losesTheAnswer: Behaviour = { answer: 'unknown', reports: [] };
const notReachable: Behaviour = { answer: 'not_taken', reports: [] };
const notReachableTwice = (attempt: number): Behaviour => (attempt <= 2 ? notReachable : arrives);

type Person = (channel: Channel, attempt: number) => Behaviour;

const people: Readonly<Record<string, Person>> = {
  silent: () => silent,
  bounce: () => ({ answer: 'accepted', reports: [report('bounced', FIRST_REPORT_MS, 'mailbox_unknown')] }),
  complain: () => ({
    answer: 'accepted',
    reports: [report('delivered'), report('complained', SECOND_REPORT_MS)],
  }),
  refuse: () => refuses,
  unknown: () => losesTheAnswer,
  flaky: (_, attempt) => notReachableTwice(attempt),
  down: () => notReachable,
};

const numbers: Readonly<Record<string, Person>> = {
  '9001': () => refuses,
  '9002': () => losesTheAnswer,
  '9003': () => ({ answer: 'accepted', reports: [report('failed', FIRST_REPORT_MS, 'handset_unreachable')] }),
  '9004': () => silent,
  '9005': (channel) =>
    channel === 'whatsapp' ? { answer: 'refused', refusal: 'not_on_whatsapp', reports: [] } : arrives,
  '9006': (_, attempt) => notReachableTwice(attempt),
  '9007': () => notReachable,
  '9008': (channel) =>
    channel === 'whatsapp'
      ? { answer: 'accepted', reports: [report('delivered'), report('read', SECOND_REPORT_MS)] }
      : arrives,
};

/**
 * The simulated people, known by the start of their address before `+` or `@`, or by the last four digits of their
 * number. `attempt` counts from 1: who is not reachable twice is reached by the third.
 */
export function behaviourOf(channel: Channel, to: string, attempt: number): Behaviour {
  const name = channel === 'email' ? (to.split(/[+@]/)[0] ?? '').toLowerCase() : to.slice(-4);
  const known = channel === 'email' ? people : numbers;
  return Object.hasOwn(known, name) ? (known[name]?.(channel, attempt) ?? arrives) : arrives;
}
