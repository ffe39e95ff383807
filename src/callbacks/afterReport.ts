import type { LockedSend } from '../outbox/lockSql.ts';
import { OUTCOME_UNKNOWN } from '../outbox/states.ts';

export const reportStatuses = ['delivered', 'bounced', 'complained', 'failed', 'rejected', 'read'] as const;
export type ReportStatus = (typeof reportStatuses)[number];

/** What a provider reports about a send that it took. */
export interface ReportFacts {
  status: ReportStatus;
  errorCode: string | null;
  /** The number turned out not to be on WhatsApp. */
  notOnWhatsapp?: boolean;
}

/**
 * The send after a report. Reports come more than once and in any order: what is not news leaves the send as it is
 * (the very same object), and nothing ever goes back. Only an unknown outcome may still turn into an arrival.
 */
export function afterReport(send: LockedSend, fact: ReportFacts, now: Date): LockedSend {
  return send.channel === 'email' ? afterEmailReport(send, fact, now) : afterPaidReport(send, fact, now);
}

function afterEmailReport(send: LockedSend, { status, errorCode }: ReportFacts, now: Date): LockedSend {
  switch (status) {
    case 'delivered':
      return isOpen(send) ? arrived(send, 'delivered', now) : send;
    case 'bounced':
      if (!isOpen(send) && send.state !== 'delivered') return send;
      return {
        ...settled(send, now),
        state: 'failed',
        reason: 'bounced',
        error_code: errorCode,
        bounced_at: now,
      };
    case 'complained': {
      if (send.complained_at !== null || !wasTaken(send)) return send;
      // Whoever complains about a mail has got it.
      const got = isOpen(send) ? arrived(send, 'delivered', now) : send;
      return { ...got, complained_at: now, last_status_at: now };
    }
    case 'failed':
    case 'rejected':
      if (!isUndecided(send)) return send;
      return { ...settled(send, now), state: status, reason: 'esp_refused', error_code: errorCode };
    case 'read':
      return send;
  }
}

function afterPaidReport(
  send: LockedSend,
  { status, errorCode, notOnWhatsapp }: ReportFacts,
  now: Date,
): LockedSend {
  switch (status) {
    case 'delivered':
      return isOpen(send) ? arrived(send, 'delivered', now) : send;
    case 'read':
      if (send.channel === 'sms') return isOpen(send) ? arrived(send, 'delivered', now) : send;
      return isOpen(send) || send.state === 'delivered' ? arrived(send, 'read', now) : send;
    case 'bounced':
    case 'failed':
    case 'rejected':
      // An unknown outcome was told as failed already, its credit kept; now it is certain, which frees the fallback.
      if (isUnknown(send))
        return { ...settled(send, now), reason: 'undelivered', error_code: send.error_code };
      if (!isUndecided(send)) return send;
      return status === 'rejected' || notOnWhatsapp === true
        ? {
            ...settled(send, now),
            state: 'rejected',
            reason: notOnWhatsapp === true ? 'not_reachable' : null,
            error_code: errorCode ?? `${send.channel}.rejected`,
            charged: false,
          }
        : {
            ...settled(send, now),
            state: 'failed',
            reason: 'undelivered',
            error_code: errorCode ?? `${send.channel}.undelivered`,
          };
    case 'complained':
      return send;
  }
}

const settled = (send: LockedSend, now: Date): LockedSend => ({
  ...send,
  due_at: null,
  lease: null,
  last_status_at: now,
});

const arrived = (send: LockedSend, state: 'delivered' | 'read', now: Date): LockedSend => ({
  ...settled(send, now),
  state,
  reason: null,
  error_code: null,
  delivered_at: send.delivered_at ?? now,
});

/** The provider has it, and has not said what became of it. */
const isUndecided = ({ state }: LockedSend): boolean => state === 'submitting' || state === 'accepted';

const isUnknown = ({ state, reason }: LockedSend): boolean =>
  state === 'failed' && reason === OUTCOME_UNKNOWN;

/** An arrival would still be news. */
const isOpen = (send: LockedSend): boolean => isUndecided(send) || isUnknown(send);

const wasTaken = ({ state }: LockedSend): boolean =>
  state === 'submitting' ||
  state === 'accepted' ||
  state === 'delivered' ||
  state === 'read' ||
  state === 'failed';
