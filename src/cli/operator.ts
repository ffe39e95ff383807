import { transaction } from '../db/transaction.ts';
import { email } from '../kit/typedValues.ts';
import { addOperator, removeOperator } from '../members/members.ts';
import { listOperators } from '../pages/operator/people/sql.ts';
import { command } from './command.ts';
import { facts, table } from './layout.ts';

const EMAIL = 'the address that signs in to the dashboard';
/** All of them: they are few. */
const LISTED_MAX = 1_000;

const operatorAdd = command({
  path: 'operator add',
  about: 'Lets a person sign in to the dashboards of all businesses',
  arguments: { EMAIL },
  flags: {},
  async run(input, cli) {
    const address = input.argument('EMAIL', email);
    const { pool, clock } = await cli.open();
    const member = await transaction(pool, (tx) => addOperator(tx, clock.now(), address));
    const json = { member_id: member.id, email: member.email, operator: true };
    return { json, text: facts(Object.entries(json)) };
  },
});

const operatorList = command({
  path: 'operator list',
  about: 'Lists who may sign in to the dashboards of all businesses',
  arguments: {},
  flags: {},
  async run(_input, cli) {
    const { pool } = await cli.open();
    const items = (await listOperators(pool, LISTED_MAX)).map((one) => ({
      email: one.email,
      since: one.operator_since,
      last_seen_at: one.last_seen_at,
    }));
    return {
      json: { items },
      text: table(
        ['email', 'since', 'last seen'],
        items.map((one) => [one.email, one.since, one.last_seen_at]),
        'There is no operator yet: operator add makes one.',
      ),
    };
  },
});

const operatorRemove = command({
  path: 'operator remove',
  about:
    'Removes an operator, who stays a member of their own businesses, or is signed out if there are none',
  arguments: { EMAIL },
  flags: {},
  async run(input, cli) {
    const address = input.argument('EMAIL', email);
    const { pool, clock } = await cli.open();
    await transaction(pool, (tx) => removeOperator(tx, clock.now(), address));
    const json = { email: address, removed: true };
    return { json, text: facts(Object.entries(json)) };
  },
});

export const operatorCommands = [operatorAdd, operatorList, operatorRemove];
