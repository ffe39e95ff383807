import { OPERATOR } from '../businesses/audit.ts';
import { count, id, note } from '../kit/typedValues.ts';
import { grantToShop } from '../pages/operator/shops/actions.ts';
import { command } from './command.ts';
import { facts } from './layout.ts';

const creditsAdd = command({
  path: 'credits add',
  about: 'Adds message credits to the balance of a business',
  arguments: { ID: 'the id of the business', N: 'how many credits' },
  flags: { note: { value: 'TEXT', about: 'why, for the ledger' } },
  async run(input, cli) {
    const businessId = input.argument('ID', id);
    const credits = input.argument('N', count(1));
    const why = input.flag('note', note) ?? null;
    const { pool, clock } = await cli.open();
    const act = { businessId, actor: OPERATOR };
    const balance = await grantToShop({ pool, clock }, act, { credits, note: why });
    const json = { business_id: businessId, added: credits, balance };
    return { json, text: facts(Object.entries(json)) };
  },
});

export const creditsCommands = [creditsAdd];
