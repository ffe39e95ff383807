/** The life of a send, the same for every channel: which state may follow which. Nothing ever goes back. */
export const allowed = {
  held: ['queued', 'skipped', 'cancelled'],
  queued: ['submitting', 'skipped', 'cancelled', 'rejected', 'failed'],
  submitting: ['accepted', 'queued', 'delivered', 'read', 'rejected', 'failed'], // 'queued' only when surely nothing was taken
  accepted: ['delivered', 'read', 'failed', 'rejected'],
  delivered: ['read', 'failed'], // 'failed': a bounce can follow a delivery
  failed: ['delivered', 'read'], // a late report after an unknown outcome
  read: [],
  rejected: [],
  skipped: [],
  cancelled: [],
} as const satisfies Record<string, readonly string[]>;

export type SendState = keyof typeof allowed;

export function mayFollow(from: SendState, to: SendState): boolean {
  const next: readonly SendState[] = allowed[from];
  return next.includes(to);
}

/** Not yet handed to a provider: can still be called off, and then costs nothing. */
export const WAITING = ['held', 'queued'] as const satisfies readonly SendState[];
