import { actingMember, recordPlatformAudit } from '../businesses/audit.ts';
import type { Client, Pool } from '../db/pool.ts';
import { ACTION_TRANSACTION, transaction } from '../db/transaction.ts';
import { earlier } from '../kit/clock.ts';
import { newId } from '../kit/ids.ts';
import type { OidcIdentity } from './oidcIssuer.ts';
import { bindSubject, endOperatorByClaim, lockSubject, makeOperatorByClaim } from './oidcSql.ts';
import { NOT_FRESH_MS, startMemberSession } from './session.ts';
import { deleteMemberWithoutShop, ensureMember, firstShopOf, lockMember } from './sql.ts';

/** Why the issuer's subject is not signed in here. */
export type OidcRefusal = 'no_verified_address' | 'no_member' | 'other_subject';

/**
 * Signs in the member that the subject belongs to, and returns the session's token. The first sign-in binds the member of the
 * verified address to the subject; from then on the subject alone decides.
 */
export const signInWithOidc = (
  pool: Pool,
  { identity, browser }: { identity: OidcIdentity; browser: string },
  now: Date,
): Promise<{ sessionToken: string } | { refusal: OidcRefusal }> =>
  transaction(
    pool,
    async (tx) => {
      const found = await memberOfSubject(tx, identity, now);
      if ('refusal' in found) return found;
      const { memberId } = found;
      if (!(await followClaim(tx, memberId, identity.isOperator, now))) return { refusal: 'no_member' };
      const signedInAt = earlier(now, identity.shownAgoMs ?? NOT_FRESH_MS);
      return { sessionToken: await startMemberSession(tx, { memberId, browser, oidc: { signedInAt } }, now) };
    },
    ACTION_TRANSACTION,
  );

async function memberOfSubject(
  tx: Client,
  { issuer, subject, email, isOperator }: OidcIdentity,
  now: Date,
): Promise<{ memberId: string } | { refusal: OidcRefusal }> {
  const [bound] = await lockSubject(tx, issuer, subject);
  if (bound) return { memberId: bound.id };
  if (email === null) return { refusal: 'no_verified_address' };
  const [member] = await lockMember(tx, email);
  if (!member && !isOperator) return { refusal: 'no_member' };
  // Bound to an issuer that is in use no more, they are as good as new.
  if (member?.oidc_issuer === issuer && member.oidc_subject !== subject) return { refusal: 'other_subject' };
  const [row] = member ? [member] : await ensureMember(tx, newId(now), email, now);
  if (!row) throw new Error('the member was not written');
  const { id } = row;
  await bindSubject(tx, id, issuer, subject);
  const detail = { member_id: id };
  await recordPlatformAudit(tx, now, { actor: actingMember(id), action: 'member.oidc_bound', detail });
  return { memberId: id };
}

/** Makes the member an operator, or ends that, as the claim says. False: nothing is left that they could sign in to. */
async function followClaim(tx: Client, memberId: string, isOperator: boolean, now: Date): Promise<boolean> {
  const change = isOperator ? makeOperatorByClaim(tx, memberId, now) : endOperatorByClaim(tx, memberId);
  const [changed] = await change;
  if (!changed) return true;
  const action = isOperator ? 'operator.added' : 'operator.removed';
  const detail = { member_id: memberId, by_claim: true };
  await recordPlatformAudit(tx, now, { actor: actingMember(memberId), action, detail });
  if (isOperator) return true;
  const [shop] = await firstShopOf(tx, memberId);
  await deleteMemberWithoutShop(tx, memberId);
  return shop?.business_id != null;
}
