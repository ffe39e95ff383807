import { statement } from '../db/statement.ts';

export interface OwnText {
  order_status: string;
  language: string;
  subject: string;
  body: string;
  /** As the audit log names who acts. */
  changed_by: string;
  updated_at: Date;
}

/** A shop's own texts; of the others it uses ours. */
export const ownTexts = statement<[businessId: string], OwnText>(`
  select order_status, language, subject, body, changed_by, updated_at from business_texts where business_id = $1`);

type Place = [businessId: string, status: string, language: string];

/** A row, unless the text says this already. */
export const writeText = statement<
  [...Place, subject: string, body: string, changedBy: string, now: Date],
  { subject: string }
>(`
  insert into business_texts as t (business_id, order_status, language, subject, body, changed_by, updated_at)
  values ($1, $2, $3, $4, $5, $6, $7)
  on conflict (business_id, order_status, language) do update
    set subject = excluded.subject, body = excluded.body, changed_by = excluded.changed_by, updated_at = excluded.updated_at
    where t.subject <> excluded.subject or t.body <> excluded.body
  returning subject`);

export const deleteText = statement<Place, { subject: string }>(`
  delete from business_texts where business_id = $1 and order_status = $2 and language = $3 returning subject`);
