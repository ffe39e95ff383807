import { OPERATOR } from '../businesses/audit.ts';
import { rebuildShopUsage } from '../dashboard/operator/shopActs.ts';
import { id } from '../kit/typedValues.ts';
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
    const { changed, ...range } = await rebuildShopUsage({ pool, clock }, { businessId, actor: OPERATOR });
    const shown = { business_id: businessId, ...range, days_changed: changed.length };
    const json = { ...shown, changed };
    return { json, text: facts([...Object.entries(shown), ['changed', changed.join(', ') || 'nothing']]) };
  },
});

export const usageCommands = [usageRebuild];
