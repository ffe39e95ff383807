import { PHONE_NUMBER } from '../support/phoneNumber.ts';

/** A push that says everything a nudge on any channel needs, and the outcome blocks it can lead to. */

export const FULL_PUSH = {
  recipient_phone: PHONE_NUMBER,
  whatsapp_opt_in: { source: 'checkout' },
  reference: '#1001',
  order_status: 'shipped',
};

export const skippedOutcome = (skipped_reason: string) => ({
  queued: false,
  credits: 0,
  skipped_reason,
  escalates_at: null,
});

export const queuedOutcome = (credits = 1) => ({
  queued: true,
  credits,
  skipped_reason: null,
  escalates_at: null,
});

export const escalatingOutcome = (escalates_at: string) => ({
  queued: false,
  credits: 0,
  skipped_reason: null,
  escalates_at,
});
