import { OPERATOR } from '../businesses/audit.ts';
import { count, note } from '../kit/typedValues.ts';
import { grantToShop } from '../pages/operator/shops/actions.ts';
import { argument, BUSINESS_ID, command, flag } from './command.ts';
import { factsReport } from './layout.ts';

const creditsAdd = command({
  path: 'credits add',
  about: 'Adds message credits to the balance of a business',
  arguments: { ID: BUSINESS_ID, N: argument('how many credits', count(1)) },
  flags: { note: flag('TEXT', 'why, for the ledger', note) },
  async run({ ID: businessId, N: credits, note = null }, cli) {
    const deps = await cli.open();
    const balance = await grantToShop(deps, { businessId, actor: OPERATOR }, { credits, note });
    return factsReport({ business_id: businessId, added: credits, balance });
  },
});

export const creditsCommands = [creditsAdd];
