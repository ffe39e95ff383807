import { statement } from '../../db/statement.ts';

/** An earlier logo that comes back is in use again. */
export const insertLogo = statement<[businessId: string, name: string, content: Buffer, now: Date]>(`
  insert into logos (business_id, name, content, created_at) values ($1, $2, $3, $4)
  on conflict (business_id, name) do update set replaced_at = null`);

export const replaceOtherLogos = statement<[businessId: string, name: string, now: Date]>(`
  update logos set replaced_at = $3 where business_id = $1 and name <> $2 and replaced_at is null`);

/** Keeps the newest of those that were replaced. */
export const deleteSurplusLogos = statement<[businessId: string, kept: number]>(`
  delete from logos where business_id = $1 and name in (
    select name from logos where business_id = $1 and replaced_at is not null
    order by replaced_at desc, name offset $2)`);

export const deleteLogos = statement<[businessId: string]>(`delete from logos where business_id = $1`);

export const findLogo = statement<[businessId: string, name: string], { content: Buffer }>(`
  select content from logos where business_id = $1 and name = $2`);
