import { statement } from '../db/statement.ts';

/** The member that a subject is bound to, locked. An update for the same reason as `lockMember`. */
export const lockSubject = statement<[issuer: string, subject: string], { id: string }>(`
  update members set email = email where oidc_issuer = $1 and oidc_subject = $2 returning id`);

export const bindSubject = statement<[memberId: string, issuer: string, subject: string]>(`
  update members set oidc_issuer = $2, oidc_subject = $3 where id = $1`);

/** Returns no row if the member is an operator already. */
export const makeOperatorByClaim = statement<[memberId: string, now: Date], { id: string }>(`
  update members set operator_since = $2, operator_by_claim = true where id = $1 and operator_since is null
  returning id`);

/** Returns no row unless a claim made the member an operator. */
export const endOperatorByClaim = statement<[memberId: string], { id: string }>(`
  update members set operator_since = null, operator_by_claim = false where id = $1 and operator_by_claim
  returning id`);
