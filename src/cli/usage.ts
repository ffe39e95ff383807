import { OPERATOR } from '../businesses/audit.ts';
import { rebuildShopUsage } from '../pages/operator/shops/actions.ts';
import { requireBusiness } from './businessView.ts';
import { BUSINESS_ID, command } from './command.ts';
import { facts } from './layout.ts';

export const usageRecount = command({
  path: 'usage recount',
  about: 'Counts the usage of a business anew; up to its last erasure, counters are only raised',
  arguments: { ID: BUSINESS_ID },
  async run({ ID: businessId }, cli) {
    const { pool, clock } = await cli.open();
    await requireBusiness(pool, businessId);
    const { changed, ...range } = await rebuildShopUsage({ pool, clock }, { businessId, actor: OPERATOR });
    const shown = { business_id: businessId, ...range, days_changed: changed.length };
    return {
      json: { ...shown, changed },
      text: facts([...Object.entries(shown), ['changed', changed.join(', ') || 'nothing']]),
    };
  },
});
