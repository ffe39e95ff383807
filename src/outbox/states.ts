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
const ends = { read: [], rejected: [], skipped: [], cancelled: [] } as const;

/**
 * Which state may follow which. The only step back is `submitting → queued`, for a send that the provider certainly did not
 * accept. docs/sends.md draws this table.
 */
export const transitions = {
  email: {
    ...ends,
    held: [],
    queued: ['submitting', 'skipped', 'cancelled'],
    submitting: ['accepted', 'queued', 'delivered', 'rejected', 'failed', 'cancelled'],
    accepted: ['delivered', 'rejected', 'failed'],
    delivered: ['failed'], // a bounce can follow a delivery
    failed: ['delivered'], // only after an unknown outcome
  },
  sms: {
    ...ends,
    held: ['queued', 'skipped', 'cancelled'],
    queued: ['submitting', 'skipped', 'cancelled'],
    submitting: ['accepted', 'queued', 'delivered', 'rejected', 'failed', 'cancelled'],
    accepted: ['delivered', 'rejected', 'failed'],
    delivered: [],
    failed: ['delivered'], // only after an unknown outcome
  },
  whatsapp: {
    ...ends,
    held: ['queued', 'skipped', 'cancelled'],
    queued: ['submitting', 'skipped', 'cancelled'],
    submitting: ['accepted', 'queued', 'delivered', 'read', 'rejected', 'failed', 'cancelled'],
    accepted: ['delivered', 'read', 'rejected', 'failed'],
    delivered: ['read'],
    failed: ['delivered', 'read'], // only after an unknown outcome
  },
} as const satisfies Record<Channel, Successors>;

export function mayFollow(channel: Channel, from: SendState, to: SendState): boolean {
  const next: Successors = transitions[channel];
  return next[from].includes(to);
}

/** Not yet submitted to a provider: the send can be cancelled, and then costs nothing. */
export const isWaiting = (state: SendState): boolean => state === 'held' || state === 'queued';

/** The reason of a send cancelled because the message no longer needs it; such a send is never shown. */
export const NOT_NEEDED = 'not_needed';

/** The reason of a send whose provider did not answer; the one failure that a late delivery report can correct. */
export const OUTCOME_UNKNOWN = 'outcome_unknown';
