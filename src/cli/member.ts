import { transaction } from '../db/transaction.ts';
import { email, id, oneOf } from '../kit/typedValues.ts';
import { addMember, removeMember } from '../members/members.ts';
import { memberRoles } from '../members/permissions.ts';
import { listMembersOf } from '../members/sql.ts';
import { requireBusiness } from './businessView.ts';
import { command } from './command.ts';
import { facts, table } from './layout.ts';

const MEMBER = { BUSINESS: 'the id of the business', EMAIL: 'the address that signs in to the dashboard' };

const memberAdd = command({
  path: 'member add',
  about: 'Lets a person sign in to the dashboard of a business, or changes their role',
  arguments: MEMBER,
  flags: {
    role: { value: 'ROLE', about: `what they may do there: ${memberRoles.join('|')}; default member` },
  },
  async run(input, cli) {
    const businessId = input.argument('BUSINESS', id);
    const address = input.argument('EMAIL', email);
    const role = input.flag('role', oneOf(memberRoles)) ?? 'member';
    const { pool, clock } = await cli.open();
    const member = await transaction(pool, async (tx) => {
      await requireBusiness(tx, businessId);
      return addMember(tx, clock.now(), { businessId, email: address, role });
    });
    const json = { business_id: businessId, member_id: member.id, email: member.email, role };
    return { json, text: facts(Object.entries(json)) };
  },
});

const memberList = command({
  path: 'member list',
  about: 'Lists who may sign in to the dashboard of a business',
  arguments: { BUSINESS: MEMBER.BUSINESS },
  flags: {},
  async run(input, cli) {
    const businessId = input.argument('BUSINESS', id);
    const { pool } = await cli.open();
    await requireBusiness(pool, businessId);
    const items = (await listMembersOf(pool, businessId)).map(({ id: _, ...item }) => item);
    return {
      json: { items },
      text: table(
        ['email', 'role', 'since', 'last seen'],
        items.map((one) => [one.email, one.role, one.since, one.last_seen_at]),
        'Nobody may sign in yet: member add lets a person in.',
      ),
    };
  },
});

const memberRemove = command({
  path: 'member remove',
  about: 'Removes a person from the dashboard of a business, and signs them out if it was their last one',
  arguments: MEMBER,
  flags: {},
  async run(input, cli) {
    const businessId = input.argument('BUSINESS', id);
    const address = input.argument('EMAIL', email);
    const { pool, clock } = await cli.open();
    await transaction(pool, async (tx) => {
      await requireBusiness(tx, businessId);
      await removeMember(tx, clock.now(), { businessId, email: address });
    });
    const json = { business_id: businessId, email: address, removed: true };
    return { json, text: facts(Object.entries(json)) };
  },
});

export const memberCommands = [memberAdd, memberList, memberRemove];
