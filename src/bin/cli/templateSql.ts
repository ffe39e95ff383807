import { statement } from '../../db/statement.ts';

export const setTemplateState = statement<
  [orderStatus: string, state: string],
  { order_status: string; state: string }
>(`
  update whatsapp_templates set state = $2 where order_status = $1 returning order_status, state`);
