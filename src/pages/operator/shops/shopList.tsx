import { effectivePlan } from '../../../businesses/settings.ts';
import type { DashboardContext, OperatorRoute, Visit } from '../../dashboard/context.ts';
import { shownNumber } from '../../dashboard/credits/words.ts';
import type { Page } from '../../dashboard/layout.tsx';
import type { Attention } from '../../dashboard/overview/attention.ts';
import { get } from '../../dashboard/route.ts';
import { Badge, EmptyState, Pager, ZonedTime } from '../../kit/components.tsx';
import { DataTable } from '../../kit/dataTable.tsx';
import { FormField, SubmitButton } from '../../kit/forms.tsx';
import { queryOf, withQuery } from '../../kit/request.ts';
import { ShopState } from '../words.tsx';
import { findShopById, readShops, type ShopList, warningsOf } from './reads.ts';

const FIND_MAX = 200;

/** The list of all shops. */
export const shopListRoutes = ({ pool, clock }: DashboardContext): OperatorRoute[] => [
  get('/dashboard/operator', 'operator.pages', async (visit, request) => {
    const { find: typed = '', cursor = null } = queryOf(request);
    const find = typed.trim().slice(0, FIND_MAX) || null;
    const id = find === null ? null : await findShopById(pool, find);
    if (id !== null) return { goTo: `/dashboard/operator/shops/${id}` };
    const list = await readShops(pool, find, cursor);
    const now = clock.now();
    const warnings = await warningsOf(pool, list, now);
    return operatorShopsPage(visit, { list, warnings, find, cursor, now });
  }),
];

interface ShopsShown {
  list: ShopList;
  /** By the shop's id. */
  warnings: ReadonlyMap<string, readonly Attention[]>;
  /** What was searched for; null: all shops are listed. */
  find: string | null;
  cursor: string | null;
  now: Date;
}

/** Every shop, newest first, or those that were searched for. */
function operatorShopsPage(visit: Visit, { list, warnings, find, cursor, now }: ShopsShown): Page {
  const path = visit.site.to('/dashboard/operator');
  return {
    operatorAt: 'shops',
    title: 'Shops',
    children: (
      <>
        <div class="finders">
          <form method="get" action={path} class="finder">
            <FormField
              id="find"
              label="Find a shop by words of its name, or by its id"
              type="search"
              value={find ?? ''}
              autocomplete="off"
              maxlength={FIND_MAX}
            />
            <SubmitButton label="Find" look="quiet" />
          </form>
          <a class="button" href={`${path}/shops/new`}>
            Create a shop
          </a>
        </div>
        {list.items.length === 0 && <NoShop path={path} find={find} />}
        {list.items.length > 0 && (
          <ShopTable path={path} list={list} warnings={warnings} find={find} now={now} />
        )}
        <Pager
          links={[
            (cursor !== null || find !== null) && [path, 'All shops, newest first'],
            list.next_cursor !== null && [withQuery(path, { find, cursor: list.next_cursor }), 'Older shops'],
          ]}
        />
      </>
    ),
  };
}

const ShopTable = ({ path, list, warnings, find, now }: Omit<ShopsShown, 'cursor'> & { path: string }) => (
  <section class="panel" aria-label="Shops">
    <DataTable
      caption={find === null ? 'Shops, newest first' : 'Shops that were found, newest first'}
      columns={[
        {
          title: 'Shop',
          cell: ({ id, name }) => (
            <a href={`${path}/shops/${id}`} dir="auto">
              {name}
            </a>
          ),
        },
        { title: 'State', cell: (shop) => <ShopState {...shop} plan={effectivePlan(shop, now)} /> },
        { title: 'Health', cell: ({ id }) => <Health warnings={warnings.get(id) ?? []} /> },
        { title: 'Credits', numeric: true, cell: ({ balance }) => shownNumber(balance) },
        { title: 'Since', cell: ({ created_at }) => <ZonedTime at={created_at} /> },
      ]}
      rows={list.items}
    />
  </section>
);

/** The most urgent warning, and how many more there are. */
function Health({ warnings: [first, ...others] }: { warnings: readonly Attention[] }) {
  if (first === undefined) return <Badge tone="good" text="Nothing to do" />;
  return (
    <span>
      {first.message}
      {others.length > 0 && <span class="hint">{` And ${others.length} more.`}</span>}
    </span>
  );
}

function NoShop({ path, find }: { path: string; find: string | null }) {
  return find === null ? (
    <EmptyState title="There is no shop yet">
      <p>
        <a href={`${path}/shops/new`}>Create the first one</a>, with the address of its owner.
      </p>
    </EmptyState>
  ) : (
    <EmptyState title="No shop was found">
      <p>
        Words of the name are found by their beginnings, such as <code>boo</code> for Acme Books. An id must
        be whole.
      </p>
    </EmptyState>
  );
}
