import { statement } from '../db/statement.ts';
import type { ConsentStatus, NumberSource } from './recipient.ts';

export interface SmsStateRow {
  email: string;
  phone: string | null;
  sms_status: ConsentStatus;
  sms_status_at: Date | null;
  sms_consent_at: Date | null;
  sms_consent_source: NumberSource | null;
}

export const readSmsState = statement<[businessId: string, email: string], SmsStateRow>(`
  select email, phone, sms_status, sms_status_at, sms_consent_at, sms_consent_source
  from recipients where business_id = $1 and email = $2`);
