import { OPERATOR, recordAudit, recordPlatformAudit } from '../businesses/audit.ts';
import type { Client } from '../db/pool.ts';
import { OperatorError } from '../kit/errors.ts';
import { newId } from '../kit/ids.ts';
import type { MemberRole } from './permissions.ts';
import {
  deleteLinksOf,
  deleteMembership,
  deleteMemberWithoutShop,
  endSessionsOf,
  ensureMember,
  lockMember,
  type MemberRow,
  makeOperator,
  setMembership,
} from './sql.ts';

interface NewMember {
  businessId: string;
  email: string;
  role: MemberRole;
}

/** Adds a member to a shop, or changes their role in it. The audit names members by id, never by address. */
export async function addMember(
  tx: Client,
  now: Date,
  { businessId, email, role }: NewMember,
  actor: string = OPERATOR,
): Promise<MemberRow> {
  const member = await memberOf(tx, email, now);
  await setMembership(tx, businessId, member.id, role, now);
  await recordAudit(tx, now, {
    businessId,
    actor,
    action: 'member.added',
    detail: { member_id: member.id, role },
  });
  return member;
}

/** Removes a member from a shop and ends all their sessions; who belongs to no other shop is forgotten, with their passkeys. */
export async function removeMember(
  tx: Client,
  now: Date,
  { businessId, email }: { businessId: string; email: string },
  actor: string = OPERATOR,
): Promise<void> {
  const [member] = await lockMember(tx, email);
  const [removed] = member ? await deleteMembership(tx, businessId, member.id) : [];
  if (!member || !removed) throw new OperatorError(`${email} is not a member of this business.`);
  await endSessionsOf(tx, member.id);
  await deleteLinksOf(tx, member.id);
  await deleteMemberWithoutShop(tx, member.id);
  await recordAudit(tx, now, {
    businessId,
    actor,
    action: 'member.removed',
    detail: { member_id: member.id, role: removed.role },
  });
}

/** Gives a member every shop. Who is an operator already stays one, and no entry is written. */
export async function addOperator(
  tx: Client,
  now: Date,
  email: string,
  actor: string = OPERATOR,
): Promise<MemberRow> {
  const member = await memberOf(tx, email, now);
  const [made] = await makeOperator(tx, member.id, now);
  if (made)
    await recordPlatformAudit(tx, now, { actor, action: 'operator.added', detail: { member_id: member.id } });
  return member;
}

async function memberOf(tx: Client, email: string, now: Date): Promise<MemberRow> {
  const [member] = await ensureMember(tx, newId(now), email, now);
  if (!member) throw new Error('the member was not written');
  return member;
}
