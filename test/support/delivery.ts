import type { Delivery } from '../../src/contract/messages.ts';

/** The delivery of a message that nothing has been reported about yet. */
export const NOTHING_REPORTED: Delivery = {
  delivered: false,
  delivered_at: null,
  opened: false,
  opened_at: null,
  bounced: false,
  bounced_at: null,
  complained: false,
  complained_at: null,
  sms: null,
  whatsapp: null,
  not_sent: null,
  failed: null,
};
