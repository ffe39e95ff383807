import type { Channel } from '../contract/channels.ts';

export const sendStates = [
  'held',
  'queued',
  'submitting',
  'accepted',
  'delivered',
  'read',
  'failed',
  'rejected',
  'skipped',
  'cancelled',
] as const;

export type SendState = (typeof sendStates)[number];

type Successors = Readonly<Record<SendState, readonly SendState[]>>;

/** Final states. */
const ENDS = { read: [], rejected: [], skipped: [], cancelled: [] } as const;
/** What waits fails after a restore from a backup. */
const HELD = ['queued', 'skipped', 'cancelled', 'failed'] as const;
const QUEUED = ['submitting', 'skipped', 'cancelled', 'failed'] as const;

/**
 * Which state may follow which. The only step back is `submitting → queued`, for a send that the provider certainly did not
 * accept. docs/sends.md draws this table.
 */
export const transitions = {
  email: {
    ...ENDS,
    held: [],
    queued: QUEUED,
    submitting: ['accepted', 'queued', 'delivered', 'rejected', 'failed', 'cancelled'],
    accepted: ['delivered', 'rejected', 'failed'],
    delivered: ['failed'], // a bounce can follow a delivery
    failed: ['delivered'], // only after an unknown outcome
  },
  sms: {
    ...ENDS,
    held: HELD,
    queued: QUEUED,
    submitting: ['accepted', 'queued', 'delivered', 'rejected', 'failed', 'cancelled'],
    accepted: ['delivered', 'rejected', 'failed'],
    delivered: [],
    failed: ['delivered'],
  },
  whatsapp: {
    ...ENDS,
    held: HELD,
    queued: QUEUED,
    submitting: ['accepted', 'queued', 'delivered', 'read', 'rejected', 'failed', 'cancelled'],
    accepted: ['delivered', 'read', 'rejected', 'failed'],
    delivered: ['read'],
    failed: ['delivered', 'read'],
  },
} as const satisfies Record<Channel, Successors>;

export function mayFollow(channel: Channel, from: SendState, to: SendState): boolean {
  const next: Successors = transitions[channel];
  return next[from].includes(to);
}

/** Not yet submitted to a provider: the send can be cancelled, and then costs nothing. */
export const isWaiting = (state: SendState): boolean => state === 'held' || state === 'queued';

/** A provider accepted it, or may have: a failed one was accepted, or its outcome is unknown. */
export const wasAccepted = (state: SendState): boolean =>
  state === 'accepted' || state === 'delivered' || state === 'read' || state === 'failed';

/** The same, or its call is in progress. */
export const mayBeAccepted = (state: SendState): boolean => state === 'submitting' || wasAccepted(state);

/** A held send is cancelled because the person opened the message before its deadline. */
export const OPENED_FIRST = 'opened_first';

/** A held fallback text is cancelled because the WhatsApp message arrived. */
export const WHATSAPP_SUFFICED = 'whatsapp_sufficed';

/** A held fallback text is cancelled because its WhatsApp message was not sent. */
export const NOT_NEEDED = 'not_needed';

/** Cancellations of sends that became needless; the delivery status does not show them, and no event reports them. */
export const NEEDLESS: readonly (string | null)[] = [OPENED_FIRST, WHATSAPP_SUFFICED, NOT_NEEDED];

/** The reason of a send whose provider did not answer; the one failure that a late delivery report can correct. */
export const OUTCOME_UNKNOWN = 'outcome_unknown';

export const isUnknown = ({ state, reason }: { state: SendState; reason: string | null }): boolean =>
  state === 'failed' && reason === OUTCOME_UNKNOWN;
