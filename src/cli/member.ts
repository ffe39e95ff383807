import { email, oneOf } from '../kit/typedValues.ts';
import { addMember, removeMember } from '../members/members.ts';
import { memberRoles } from '../members/permissions.ts';
import { listMembersOf } from '../members/sql.ts';
import { changeBusiness, requireBusiness } from './businessView.ts';
import { argument, BUSINESS_ID, command, databaseCommand, flag, toggle } from './command.ts';
import { mailInvitation } from './invitation.ts';
import { factsReport, listReport } from './layout.ts';

const EMAIL = argument('the address that signs in to the dashboard', email);

const memberAdd = command({
  path: 'member add',
  about: 'Lets somebody sign in to the dashboard of a business, or changes their role',
  arguments: { BUSINESS: BUSINESS_ID, EMAIL },
  flags: {
    role: flag(
      'ROLE',
      `what they may do there: ${memberRoles.join('|')}; default member`,
      oneOf(memberRoles),
    ),
    'no-invite': toggle('a new member gets no invitation by email'),
  },
  async run({ BUSINESS: businessId, EMAIL: address, role = 'member', 'no-invite': isQuiet }, cli) {
    const database = await cli.open();
    const { pool, clock } = database;
    // First: with a wrong SECRET_KEY nobody is added, either.
    const hash = isQuiet ? null : await database.hasher();
    const member = await changeBusiness(pool, businessId, (tx) =>
      addMember(tx, clock.now(), { businessId, email: address, role }),
    );
    const { id, email, isNew } = member;
    const invitation =
      isNew && hash ? await mailInvitation(cli, database, hash, { businessId, member }) : 'none';
    return factsReport({ business_id: businessId, member_id: id, email, role, invitation });
  },
});

const memberList = databaseCommand({
  path: 'member list',
  about: 'Lists who may sign in to the dashboard of a business',
  arguments: { BUSINESS: BUSINESS_ID },
  async run({ BUSINESS: businessId }, { pool }) {
    await requireBusiness(pool, businessId);
    const items = (await listMembersOf(pool, businessId)).map(({ id: _, ...item }) => item);
    const nobody = 'Nobody may sign in yet: member add lets somebody in.';
    return listReport(['email', 'role', 'since', 'last seen'], items, nobody);
  },
});

const memberRemove = databaseCommand({
  path: 'member remove',
  about: 'Removes a member from the dashboard of a business, and signs them out if it was their last one',
  arguments: { BUSINESS: BUSINESS_ID, EMAIL },
  async run({ BUSINESS: businessId, EMAIL: address }, { pool, clock }) {
    await changeBusiness(pool, businessId, (tx) =>
      removeMember(tx, clock.now(), { businessId, email: address }),
    );
    return factsReport({ business_id: businessId, email: address, removed: true });
  },
});

export const memberCommands = [memberAdd, memberList, memberRemove];
