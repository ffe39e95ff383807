import { statement } from '../db/statement.ts';

export const markRetracted = statement<[businessId: string, messageId: string, now: Date]>(`
  update messages set status = 'retracted', retracted_at = $3 where business_id = $1 and id = $2`);
