import type { Channel } from '../contract/channels.ts';
import { statementOfBusinesses } from '../db/perBusiness.ts';
import { ASYNCHRONOUS_COMMIT } from '../db/sql.ts';
import { statement } from '../db/statement.ts';

const WRITTEN = `id, business_id, send_id, message_id, recipient_id, channel, recipient, subject, text, html, headers, template,
  provider_id, outcome, at`;
const WRITTEN_OF_A = WRITTEN.replaceAll(/\w+/g, 'a.$&');

/**
 * Inserts captured messages with their planned reports. It skips messages to a person who was erased, or is being erased:
 * only an erasure takes a lock that conflicts with `for key share`. The lateral join finds each recipient by key at any
 * table size. The commit is asynchronous: after a crash of the database the outcome of the send is not recorded either.
 */
export const insertCaptured = statementOfBusinesses<[messages: string, reports: string]>(
  ['rows', 'rows'],
  `
  with received as materialized (
    select message.* from (${ASYNCHRONOUS_COMMIT}) as kept cross join json_populate_recordset(null::sandbox_messages, $1::json) message
  ), recipients_found as materialized (
    select k.business_id, k.id
    from (select distinct business_id, recipient_id from received) a
    cross join lateral (
      select r.business_id, r.id from recipients r
      where r.business_id = a.business_id and r.id = a.recipient_id limit 1
      for key share skip locked) k
  ), captured as (
    insert into sandbox_messages (${WRITTEN})
    select ${WRITTEN_OF_A} from received a join recipients_found k on k.business_id = a.business_id and k.id = a.recipient_id
    returning provider_id
  )
  insert into sandbox_reports (id, provider_id, status, error_code, due_at)
  select r.id, r.provider_id, r.status, r.error_code, r.due_at
  from json_populate_recordset(null::sandbox_reports, $2::json) r join captured c on c.provider_id = r.provider_id`,
  { steps: captureInSteps() },
);

/** The same on a cluster: it waits for an erasure instead of skipping the person, and then finds nobody. */
function captureInSteps(): string[] {
  const messages = 'json_populate_recordset(null::sandbox_messages, $1::json) a';
  const withRecipient = `join recipients r on r.business_id = a.business_id and r.id = a.recipient_id`;
  return [
    `select from ${messages} ${withRecipient} order by r.id for key share of r`,
    `insert into sandbox_messages (${WRITTEN})
    select ${WRITTEN_OF_A.replace('a.business_id', 'r.business_id')} from ${messages} ${withRecipient}`,
    `insert into sandbox_reports (id, provider_id, status, error_code, due_at)
    select p.id, p.provider_id, p.status, p.error_code, p.due_at
    from json_to_recordset($2::json) as p (id text, provider_id text, status text, error_code text, due_at timestamptz)
    where p.provider_id = any (array(
      select m.provider_id from sandbox_messages m where m.provider_id = any (array(
        select a.provider_id from ${messages}))))`,
  ];
}

/** A mail to a member of a shop, who is no recipient and causes no reports. */
export const insertMemberMail = statement<[message: string]>(`
  insert into sandbox_messages (${WRITTEN})
  select ${WRITTEN} from json_populate_record(null::sandbox_messages, $1::json)`);

export interface CapturedRow {
  id: string;
  channel: Channel;
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

export const CAPTURED_COLUMNS = `m.id, m.channel, m.recipient, m.business_id, m.message_id, m.subject, m.text, m.html, m.headers,
  m.template, m.provider_id, m.outcome, m.at`;

/** Newest first, with ids below `before`. */
export const listCaptured = statement<
  [channel: string | null, to: string | null, before: string | null, limit: number, messageId: string | null],
  CapturedRow
>(`
  select ${CAPTURED_COLUMNS} from sandbox_messages m
  where ($1::text is null or m.channel = $1) and ($2::text is null or m.recipient = $2)
    and ($3::text is null or m.id < $3) and ($5::text is null or m.message_id = $5)
  order by m.id desc limit $4`);

export interface DueReport {
  id: string;
  business_id: string;
  send_id: string;
  status: string;
  error_code: string | null;
}

/** Deletes and returns due reports. Those about an erased message are dropped. */
export const takeDueReports = statement<[now: Date, limit: number], DueReport>(`
  with due as (
    select id from sandbox_reports where due_at <= $1 order by due_at, id limit $2 for update skip locked
  ), deleted as (
    delete from sandbox_reports r using due where r.id = due.id
    returning r.id, r.provider_id, r.status, r.error_code, r.due_at
  )
  select d.id, m.business_id, m.send_id, d.status, d.error_code
  from deleted d join sandbox_messages m on m.provider_id = d.provider_id
  order by d.due_at, d.id`);

export const nextDueReport = statement<[now: Date], { due_at: Date | null }>(`
  select min(due_at) as due_at from sandbox_reports where due_at > $1`);

export const anyDueReport = statement<[now: Date], { due: boolean }>(`
  select exists (select from sandbox_reports where due_at <= $1) as due`);

/** Of any business: the sandbox shows all of them. */
export const findRecipientOf = statement<[messageId: string], { business_id: string; recipient_id: string }>(`
  select business_id, recipient_id from messages where id = $1`);

export const findByProviderId = statement<[providerId: string], { business_id: string; send_id: string }>(`
  select business_id, send_id from sandbox_messages where provider_id = $1`);
