import { OPERATOR, recordAudit } from '../businesses/audit.ts';
import { grantCredits } from '../businesses/credits.ts';
import { transaction } from '../db/transaction.ts';
import { count, id, note } from '../kit/typedValues.ts';
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
    const balance = await transaction(pool, async (tx) => {
      const now = clock.now();
      const after = await grantCredits(tx, { businessId, credits, note: why }, now);
      await recordAudit(tx, now, {
        businessId,
        actor: OPERATOR,
        action: 'credits.granted',
        detail: { credits },
      });
      return after;
    });
    const json = { business_id: businessId, added: credits, balance };
    return { json, text: facts(Object.entries(json)) };
  },
});

export const creditsCommands = [creditsAdd];
