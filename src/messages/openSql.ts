import { statement } from '../db/statement.ts';

export const markOpened = statement<[businessId: string, messageId: string, now: Date]>(`
  update messages set opened_at = $3 where business_id = $1 and id = $2 and opened_at is null`);
