import type { Delivery, PaidDelivery } from '../../../contract/messages.ts';

/** What can have become of a message by email. A message can have several of these: it bounced, then it was opened. */
export const emailOutcomes = [
  'delivered',
  'opened',
  'bounced',
  'complained',
  'failed',
  'not_sent',
  'under_way',
] as const;
export type EmailOutcomeFilter = (typeof emailOutcomes)[number];

/** What can have become of a text or a WhatsApp message: the statuses of the API, or none. */
export const paidOutcomes = ['queued', 'delivered', 'read', 'failed', 'rejected', 'skipped', 'none'] as const;
export type PaidOutcomeFilter = (typeof paidOutcomes)[number];

/** What is looked for on each channel; null: anything. */
export interface OutcomeFilters {
  email: EmailOutcomeFilter | null;
  sms: PaidOutcomeFilter | null;
  whatsapp: PaidOutcomeFilter | null;
}

export const hasOutcomes = (delivery: Delivery, { email, sms, whatsapp }: OutcomeFilters): boolean =>
  (email === null || EMAIL[email](delivery)) &&
  (sms === null || paidOutcome(delivery.sms) === sms) &&
  (whatsapp === null || paidOutcome(delivery.whatsapp) === whatsapp);

const EMAIL: Record<EmailOutcomeFilter, (delivery: Delivery) => boolean> = {
  delivered: ({ delivered }) => delivered,
  opened: ({ opened }) => opened,
  bounced: ({ bounced }) => bounced,
  complained: ({ complained }) => complained,
  failed: ({ failed }) => failed !== null,
  not_sent: ({ not_sent }) => not_sent !== null,
  under_way: ({ delivered, bounced, failed, not_sent }) =>
    !delivered && !bounced && failed === null && not_sent === null,
};

const paidOutcome = (delivery: PaidDelivery | null): PaidOutcomeFilter => delivery?.status ?? 'none';
