import { statement } from '../db/statement.ts';

export interface DueReport {
  id: string;
  business_id: string;
  send_id: string;
  status: string;
  error_code: string | null;
}

/** Takes reports whose time has come. What they are about may have been erased meanwhile; then nobody hears of them. */
export const takeDueReports = statement<[now: Date, limit: number], DueReport>(`
  with due as (
    select id from sandbox_reports where due_at <= $1 order by due_at, id limit $2 for update skip locked
  ), taken as (
    delete from sandbox_reports r using due where r.id = due.id
    returning r.id, r.provider_id, r.status, r.error_code, r.due_at
  )
  select t.id, m.business_id, m.send_id, t.status, t.error_code
  from taken t join sandbox_messages m on m.provider_id = t.provider_id
  order by t.due_at, t.id`);

export const nextDueReport = statement<[now: Date], { due_at: Date | null }>(`
  select min(due_at) as due_at from sandbox_reports where due_at > $1`);

export const anyDueReport = statement<[now: Date], { due: boolean }>(`
  select exists (select from sandbox_reports where due_at <= $1) as due`);

export const findByProviderId = statement<[providerId: string], { business_id: string; send_id: string }>(`
  select business_id, send_id from sandbox_messages where provider_id = $1`);
