import type { LockedSend } from '../outbox/lockSql.ts';
import { isUnknown, mayBeAccepted } from '../outbox/states.ts';
import type { ReportFacts } from '../providers/callbackContent.ts';

/**
 * The send after a delivery report. Reports can repeat and arrive in any order: one that adds nothing returns the same
 * object, and none moves the send back. Of the failures, only an unknown outcome can still become a delivery.
 */
export const afterReport = (send: LockedSend, fact: ReportFacts, now: Date): LockedSend =>
  send.channel === 'email' ? afterEmailReport(send, fact, now) : afterPaidReport(send, fact, now);

function afterEmailReport(send: LockedSend, { status, errorCode }: ReportFacts, now: Date): LockedSend {
  switch (status) {
    case 'delivered':
      return isOpen(send) ? delivered(send, 'delivered', now) : send;
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
      if (send.complained_at !== null || !mayBeAccepted(send.state)) return send;
      // A complaint proves that the mail was delivered.
      const deliveredSend = isOpen(send) ? delivered(send, 'delivered', now) : send;
      return { ...deliveredSend, complained_at: now, last_status_at: now };
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
      return isOpen(send) ? delivered(send, 'delivered', now) : send;
    case 'read':
      if (send.channel === 'sms') return isOpen(send) ? delivered(send, 'delivered', now) : send;
      return isOpen(send) || send.state === 'delivered' ? delivered(send, 'read', now) : send;
    case 'bounced':
    case 'failed':
    case 'rejected':
      // The merchant already has the event for the unknown outcome, which stays charged. The report makes it certain that
      // nothing was delivered, so the new reason releases the fallback.
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

const delivered = (send: LockedSend, state: 'delivered' | 'read', now: Date): LockedSend => ({
  ...settled(send, now),
  state,
  reason: null,
  error_code: null,
  delivered_at: send.delivered_at ?? now,
});

/** The provider has not reported yet. */
const isUndecided = ({ state }: LockedSend): boolean => state === 'submitting' || state === 'accepted';

/** A delivery can still be recorded. */
const isOpen = (send: LockedSend): boolean => isUndecided(send) || isUnknown(send);
