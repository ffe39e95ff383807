import { statement } from '../db/statement.ts';

export interface SuppressionRow {
  email: string | null;
  reason: string;
  at: Date;
}

/** Newest first; one row more than the limit shows that there are more. */
export const listSuppressions = statement<
  [businessId: string, emailHash: Buffer | null, limit: number],
  SuppressionRow
>(`
  select email, reason, at from suppressions
  where business_id = $1 and ($2::bytea is null or email_hash = $2)
  order by at desc, email_hash, reason limit $3`);

export const findReasons = statement<[businessId: string, emailHash: Buffer], { reason: string }>(`
  select reason from suppressions where business_id = $1 and email_hash = $2 order by reason`);

/** An unsubscribe is the person's own word and permanent: it stays. */
export const removeSuppressions = statement<[businessId: string, emailHash: Buffer], { reason: string }>(`
  delete from suppressions where business_id = $1 and email_hash = $2 and reason <> 'unsubscribe' returning reason`);

/** Otherwise the business's own bounce would go on gating it through the shared domain. */
export const removePlatformSuppression = statement<[emailHash: Buffer], { removed: boolean }>(`
  delete from platform_suppressions where email_hash = $1 returning true as removed`);
