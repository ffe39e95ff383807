import { OPERATOR, recordAudit } from '../businesses/audit.ts';
import { transaction } from '../db/transaction.ts';
import { id } from '../kit/typedValues.ts';
import { rebuildUsage } from '../usage/rebuild.ts';
import { requireBusiness } from './businessView.ts';
import { command } from './command.ts';
import { facts } from './layout.ts';

const usageRebuild = command({
  path: 'usage rebuild',
  about: 'Counts the usage of a business anew; up to its last erasure, counters are only raised',
  arguments: {},
  flags: { business: { value: 'ID', about: 'the id of the business', required: true } },
  async run(input, cli) {
    const businessId = input.required('business', id);
    const { pool, clock } = await cli.open();
    await requireBusiness(pool, businessId);
    const rebuilt = await transaction(
      pool,
      async (tx) => {
        const now = clock.now();
        const { changed, ...range } = await rebuildUsage(tx, businessId, now);
        const detail = { ...range, days_changed: changed.length };
        await recordAudit(tx, now, { businessId, actor: OPERATOR, action: 'usage.rebuilt', detail });
        return { ...detail, changed };
      },
      { attempts: 3 },
    );
    const json = { business_id: businessId, ...rebuilt };
    const { changed, ...shown } = json;
    return { json, text: facts([...Object.entries(shown), ['changed', changed.join(', ') || 'nothing']]) };
  },
});

export const usageCommands = [usageRebuild];
