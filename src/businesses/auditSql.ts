import { statement } from '../db/statement.ts';

export const insertAudit = statement<
  [
    businessId: string,
    id: string,
    actor: string,
    action: string,
    recipientId: string | null,
    subject: string | null,
    detail: string,
    at: Date,
  ]
>(`
  insert into audit_entries (business_id, id, actor, action, recipient_id, subject, detail, at)
  values ($1, $2, $3, $4, $5, $6, $7::jsonb, $8)`);
