/** What the statements that look at a list answer, as it comes: moments are texts, since an answer is one JSON. */
export interface SnapshotRow {
  records: (StoredResponse & { expired: boolean })[] | null;
  businesses: SnapshotBusiness[] | null;
  recipients: SnapshotRecipient[] | null;
  suppressions:
    | { business_id: string; email_hash: string; unsubscribed: boolean; suppressed: boolean }[]
    | null;
  platform: { email_hash: string }[] | null;
  holders: { business_id: string; phone: string; id: string }[] | null;
  stops:
    | {
        business_id: string;
        number_hash: string;
        channel: 'sms' | 'whatsapp';
        made_by: 'text' | 'inbox' | 'dashboard';
      }[]
    | null;
  unreachable: { business_id: string; number_hash: string }[] | null;
  messages: SnapshotMessage[] | null;
  waiting: SnapshotSend[] | null;
  prices: { country: string; credits: number }[] | null;
  in_review: string[];
}

/** A key that was not revoked; `active` is its business's. */
export interface SnapshotCaller {
  business_id: string;
  id: string;
  active: boolean;
}

export interface StoredResponse {
  business_id: string;
  scope: string;
  key: string;
  fingerprint: string;
  status: number;
  response: string;
  recipient_id: string | null;
}

export interface SnapshotBusiness {
  id: string;
  name: string;
  active: boolean;
  paused: boolean;
  plan: 'active' | 'past_due' | 'lapsed';
  plan_period_end: string | null;
  sms_mode: 'on' | 'on_request' | 'off' | 'not_enabled';
  whatsapp_mode: 'on' | 'on_request' | 'off' | 'not_enabled';
  countries: string[] | null;
  own_email_sender: boolean;
  paid_per_recipient_hour: number | null;
  spendable: number;
}

/** As much of a recipient as a plain push needs. */
export interface SnapshotPerson {
  business_id: string;
  id: string;
  email: string;
  phone: string | null;
  /** Whether that is all there is: no number, no consent, no stop, now or before. */
  plain: boolean;
}

export interface SnapshotRecipient {
  business_id: string;
  id: string;
  email: string;
  phone: string | null;
  phone_country: string | null;
  sms_status: 'none' | 'active' | 'stopped';
  sms_status_at: string | null;
  sms_stopped_by: 'text' | 'inbox' | 'dashboard' | null;
  sms_consent_at: string | null;
  sms_consent_source: 'push' | 'api' | 'admin' | null;
  whatsapp_status: 'none' | 'active' | 'stopped';
  whatsapp_status_at: string | null;
  paid_last_hour: number;
}

export interface SnapshotMessage {
  business_id: string;
  id: string;
  recipient_id: string;
  recipient_email: string;
  subject: string;
  body: string;
  reference: string | null;
  order_status: string | null;
  kind: 'one_off' | 'updateable';
  status: 'active' | 'obsolete' | 'retracted';
  scheduled_for: string | null;
  created_at: string;
  updated_at: string;
}

export interface SnapshotSend {
  business_id: string;
  id: string;
  message_id: string;
  channel: 'email' | 'sms' | 'whatsapp';
  state: 'held' | 'queued';
  reserved: number;
  charged: number;
  fallback_of: string | null;
}
