import { OPERATOR } from '../businesses/audit.ts';
import { id } from '../kit/typedValues.ts';
import { rebuildShopUsage } from '../pages/operator/shops/actions.ts';
import { requireBusiness } from './businessView.ts';
import { type Cli, command, type Report } from './command.ts';
import { facts } from './layout.ts';

const ABOUT = 'Counts the usage of a business anew; up to its last erasure, counters are only raised';
const BUSINESS = 'the id of the business';

const usageRecount = command({
  path: 'usage recount',
  about: ABOUT,
  arguments: { ID: BUSINESS },
  flags: {},
  run: async (input, cli) => recount(cli, input.argument('ID', id)),
});

const usageRebuild = command({
  path: 'usage rebuild',
  about: 'The same as usage recount, by its earlier name',
  arguments: {},
  flags: { business: { value: 'ID', about: BUSINESS, required: true } },
  run: async (input, cli) => recount(cli, input.required('business', id)),
});

async function recount(cli: Cli, businessId: string): Promise<Report> {
  const { pool, clock } = await cli.open();
  await requireBusiness(pool, businessId);
  const { changed, ...range } = await rebuildShopUsage({ pool, clock }, { businessId, actor: OPERATOR });
  const shown = { business_id: businessId, ...range, days_changed: changed.length };
  const json = { ...shown, changed };
  return { json, text: facts([...Object.entries(shown), ['changed', changed.join(', ') || 'nothing']]) };
}

export const usageCommands = [usageRecount, usageRebuild];
