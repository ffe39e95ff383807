import { statement } from '../db/statement.ts';

/** What reached the provider, and the reports it will cause, together: neither is ever there without the other. */
export const insertCaptured = statement<[messages: string, reports: string]>(`
  with captured as (
    insert into sandbox_messages (id, business_id, send_id, message_id, recipient_id, channel, recipient, subject, text, html,
      headers, template, provider_id, outcome, at)
    select id, business_id, send_id, message_id, recipient_id, channel, recipient, subject, text, html,
      headers, template, provider_id, outcome, at
    from json_populate_recordset(null::sandbox_messages, $1::json)
  )
  insert into sandbox_reports (id, provider_id, status, error_code, due_at)
  select id, provider_id, status, error_code, due_at from json_populate_recordset(null::sandbox_reports, $2::json)`);

export interface CapturedRow {
  id: string;
  channel: 'email' | 'sms' | 'whatsapp';
  recipient: string;
  business_id: string;
  message_id: string | null;
  subject: string | null;
  text: string;
  html: string | null;
  headers: Record<string, string>;
  template: unknown;
  provider_id: string;
  outcome: string;
  at: Date;
}

const COLUMNS = `id, channel, recipient, business_id, message_id, subject, text, html, headers, template, provider_id, outcome, at`;

export const listCaptured = statement<
  [channel: string | null, to: string | null, limit: number],
  CapturedRow
>(`
  select ${COLUMNS} from sandbox_messages
  where ($1::text is null or channel = $1) and ($2::text is null or recipient = $2)
  order by id desc limit $3`);
