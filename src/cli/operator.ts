import { transaction } from '../db/transaction.ts';
import { email } from '../kit/typedValues.ts';
import { addOperator, removeOperator } from '../members/members.ts';
import { listOperators } from '../pages/operator/people/sql.ts';
import { argument, databaseCommand } from './command.ts';
import { factsReport, listReport } from './layout.ts';

const EMAIL = argument('the address that signs in to the dashboard', email);
/** All of them: they are few. */
const LISTED_MAX = 1_000;

const operatorAdd = databaseCommand({
  path: 'operator add',
  about: 'Lets somebody sign in to the dashboards of all businesses',
  arguments: { EMAIL },
  async run({ EMAIL: address }, { pool, clock }) {
    const { id, email } = await transaction(pool, (tx) => addOperator(tx, clock.now(), address));
    return factsReport({ member_id: id, email, operator: true });
  },
});

const operatorList = databaseCommand({
  path: 'operator list',
  about: 'Lists who may sign in to the dashboards of all businesses',
  async run(_given, { pool }) {
    const items = (await listOperators(pool, LISTED_MAX)).map((one) => ({
      email: one.email,
      since: one.operator_since,
      last_seen_at: one.last_seen_at,
    }));
    const nobody = 'There is no operator yet: operator add makes one.';
    return listReport(['email', 'since', 'last seen'], items, nobody);
  },
});

const operatorRemove = databaseCommand({
  path: 'operator remove',
  about:
    'Removes an operator, who stays a member of their own businesses, or is signed out if there are none',
  arguments: { EMAIL },
  async run({ EMAIL: address }, { pool, clock }) {
    await transaction(pool, (tx) => removeOperator(tx, clock.now(), address));
    return factsReport({ email: address, removed: true });
  },
});

export const operatorCommands = [operatorAdd, operatorList, operatorRemove];
