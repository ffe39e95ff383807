import { createHash } from 'node:crypto';
import type { SAMPLE_PUSH } from '../load/requests.ts';

type Asked = { recipient_email: string } & Record<Exclude<keyof typeof SAMPLE_PUSH, 'body'>, string>;

/** The response to a push that both baselines store: as long as ours, but constant. */
export const bareAnswer = (
  id: string,
  { recipient_email, subject, reference, order_status }: Asked,
  now: Date,
) => ({
  id,
  recipient_email,
  subject,
  kind: 'one_off',
  status: 'active',
  created: true,
  scheduled_for: null,
  nudged: true,
  email: { sending: true, skipped_reason: null },
  sms: null,
  sms_units: 0,
  whatsapp: null,
  whatsapp_opt_in: null,
  reference,
  order_status,
  created_at: now,
  updated_at: now,
});

export const bareFingerprint = (asked: object): Buffer =>
  createHash('sha256').update(JSON.stringify(asked)).digest();
