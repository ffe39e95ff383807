import { statement } from '../../src/db/statement.ts';

/** A random sample: merchants seldom read the message that was written last. */
export const someIds = statement<[businessId: string, count: number], { id: string }>(`
  select id from messages where business_id = $1
  order by md5(id) limit $2`);
