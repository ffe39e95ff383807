import { statement } from '../db/statement.ts';

/* Reviews of WhatsApp templates in English. */

/** WhatsApp refuses these templates: until it approves them again, a push reports them as not sendable. */
export const holdTemplates = statement<[orderStatuses: string[]]>(`
  update whatsapp_templates set state = 'in_review' where order_status = any ($1::text[]) and state <> 'in_review'`);

export interface TemplateRow {
  order_status: string;
  state: 'approved' | 'in_review';
}

export const listTemplates = statement<[], TemplateRow>(`
  select order_status, state from whatsapp_templates order by order_status`);

export const lockTemplate = statement<[orderStatus: string], TemplateRow>(`
  select order_status, state from whatsapp_templates where order_status = $1 for update`);

export const setTemplateState = statement<
  [orderStatus: string, state: 'approved' | 'in_review'],
  { order_status: string; state: string }
>(`
  update whatsapp_templates set state = $2 where order_status = $1 returning order_status, state`);
