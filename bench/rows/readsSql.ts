import { statement } from '../../src/db/statement.ts';

/** Messages from all over the table: what is read is seldom what was written last. */
export const someIds = statement<[businessId: string, count: number], { id: string }>(`
  select id from messages where business_id = $1
  order by md5(id) limit $2`);
