import { statement } from '../db/statement.ts';

/** The platform does not send these templates: until it does again, nobody is told that they would be sent. */
export const holdTemplates = statement<[orderStatuses: string[]]>(`
  update whatsapp_templates set state = 'in_review' where order_status = any ($1::text[]) and state <> 'in_review'`);

export const setTemplateState = statement<
  [orderStatus: string, state: 'approved' | 'in_review'],
  { order_status: string; state: string }
>(`
  update whatsapp_templates set state = $2 where order_status = $1 returning order_status, state`);
