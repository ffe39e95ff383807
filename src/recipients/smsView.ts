import type { Queryable } from '../db/statement.ts';
import { ApiError } from '../kit/errors.ts';
import { maskPhone } from '../kit/phoneNumber.ts';
import type { ConsentStatus, NumberSource } from './recipient.ts';
import { readSmsState, type SmsStateRow } from './smsViewSql.ts';

/** How a recipient stands with texts, in the interface's own names (2.10). The number is never shown whole. */
export interface SmsView {
  recipient_email: string;
  phone: string | null;
  sms_status: ConsentStatus;
  sms_status_at: string | null;
  sms_consent_at: string | null;
  sms_consent_source: NumberSource | null;
}

/** `email` is normalised. */
export async function viewSms(db: Queryable, businessId: string, email: string): Promise<SmsView> {
  const [row] = await readSmsState(db, businessId, email);
  if (!row) throw new ApiError('recipient.not_found');
  return smsView(row);
}

export const smsView = (state: SmsStateRow): SmsView => ({
  recipient_email: state.email,
  phone: state.phone === null ? null : maskPhone(state.phone),
  sms_status: state.sms_status,
  sms_status_at: state.sms_status_at?.toISOString() ?? null,
  sms_consent_at: state.sms_consent_at?.toISOString() ?? null,
  sms_consent_source: state.sms_consent_source,
});
