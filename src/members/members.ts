import { OPERATOR, recordAudit, recordPlatformAudit } from '../businesses/audit.ts';
import { MEMBERS_MAX } from '../config/limits.ts';
import type { Client } from '../db/pool.ts';
import { OperatorError } from '../kit/errors.ts';
import { newId } from '../kit/ids.ts';
import type { MemberRole } from './permissions.ts';
import {
  countMembersOf,
  deleteMembership,
  deleteMemberWithoutShop,
  endOperator,
  ensureMember,
  findMembership,
  lockMember,
  lockOwners,
  type MemberRow,
  makeOperator,
  setMembership,
} from './sql.ts';

/** A shop keeps an owner, or nobody could let people in any more. */
export class LastOwner extends OperatorError {
  constructor(email: string) {
    super(`${email} is the last owner of this business: make somebody else an owner first.`);
  }
}

/** `isNew`: they did not belong to the shop before. */
export type AddedMember = MemberRow & { isNew: boolean };

/** Adds a member or changes their role; the same role again writes nothing. The audit names members by id, never by address. */
export async function addMember(
  tx: Client,
  now: Date,
  { businessId, email, role }: { businessId: string; email: string; role: MemberRole },
  actor: string = OPERATOR,
): Promise<AddedMember> {
  const member = await memberOf(tx, email, now);
  const [before] = await findMembership(tx, businessId, member.id);
  const added = { ...member, isNew: !before };
  if (before?.role === role) return added;
  if (role !== 'owner') await keepAnOwner(tx, businessId, member);
  if (!before) await checkCount(tx, businessId);
  await setMembership(tx, businessId, member.id, role, now);
  await recordAudit(tx, now, {
    businessId,
    actor,
    action: before ? 'member.role_changed' : 'member.added',
    detail: { member_id: member.id, role, ...(before && { role_before: before.role }) },
  });
  return added;
}

async function keepAnOwner(tx: Client, businessId: string, member: MemberRow): Promise<void> {
  const owners = await lockOwners(tx, businessId);
  if (owners.length === 1 && owners[0]?.member_id === member.id) throw new LastOwner(member.email);
}

async function checkCount(tx: Client, businessId: string): Promise<void> {
  const [members] = await countMembersOf(tx, businessId);
  if (members && members.count >= MEMBERS_MAX)
    throw new OperatorError(`A business has at most ${MEMBERS_MAX} members: remove somebody first.`);
}

/**
 * Removes a member from a shop. A member of no other shop is forgotten, with their sessions and passkeys; any other stays
 * signed in, or any owner could sign anybody out by adding and removing them.
 */
export async function removeMember(
  tx: Client,
  now: Date,
  { businessId, email }: { businessId: string; email: string },
  actor: string = OPERATOR,
): Promise<void> {
  const [member] = await lockMember(tx, email);
  if (member) await keepAnOwner(tx, businessId, member);
  const [removed] = member ? await deleteMembership(tx, businessId, member.id) : [];
  if (!member || !removed) throw new OperatorError(`${email} is not a member of this business.`);
  await deleteMemberWithoutShop(tx, member.id);
  const detail = { member_id: member.id, role: removed.role };
  await recordAudit(tx, now, { businessId, actor, action: 'member.removed', detail });
}

/** Gives a member every shop. For an operator nothing changes, and no entry is written. */
export async function addOperator(tx: Client, now: Date, email: string, actor: string = OPERATOR) {
  const member = await memberOf(tx, email, now);
  const [made] = await makeOperator(tx, member.id, now);
  if (made)
    await recordPlatformAudit(tx, now, { actor, action: 'operator.added', detail: { member_id: member.id } });
  return member;
}

/** A member of no shop is then forgotten, with their sessions and passkeys. */
export async function removeOperator(tx: Client, now: Date, email: string, actor: string = OPERATOR) {
  const [member] = await lockMember(tx, email);
  if (!member?.operator) throw new OperatorError(`${email} is not an operator.`);
  await endOperator(tx, member.id);
  await deleteMemberWithoutShop(tx, member.id);
  await recordPlatformAudit(tx, now, { actor, action: 'operator.removed', detail: { member_id: member.id } });
}

async function memberOf(tx: Client, email: string, now: Date): Promise<MemberRow> {
  const [member] = await ensureMember(tx, newId(now), email, now);
  if (!member) throw new Error('the member was not written');
  return member;
}
