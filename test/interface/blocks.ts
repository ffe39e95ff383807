/** A push that says everything a nudge on any channel needs, and the outcome blocks it can lead to. */

export const NUMBER = '+37255550134';

export const WHOLE = {
  recipient_phone: NUMBER,
  whatsapp_opt_in: { source: 'checkout' },
  reference: '#1001',
  order_status: 'shipped',
};

export const refused = (skipped_reason: string) => ({
  queued: false,
  credits: 0,
  skipped_reason,
  escalates_at: null,
});

export const queued = (credits = 1) => ({ queued: true, credits, skipped_reason: null, escalates_at: null });

export const armed = (escalates_at: string) => ({
  queued: false,
  credits: 0,
  skipped_reason: null,
  escalates_at,
});
