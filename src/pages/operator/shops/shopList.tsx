import type { Queryable } from '../../../db/statement.ts';
import { dueSends } from '../../../outbox/claimSql.ts';
import type { DashboardContext, OperatorRoute, Visit } from '../../dashboard/context.ts';
import type { Page } from '../../dashboard/layout.tsx';
import { get } from '../../dashboard/route.ts';
import { EmptyState, Pager } from '../../kit/components.tsx';
import { queryOf, withQuery } from '../../kit/request.ts';
import { findShopById, readShopLines, readShops, type ShopFilter } from './reads.ts';
import { ShopTable } from './shopTable.tsx';
import { type ServiceState, Summary } from './summary.tsx';
import { openShopTotals } from './totals.ts';
import { TroubleLinks } from './troubleLinks.tsx';
import { countTroubles, shopsInTrouble, troubleIn } from './troubles.ts';
import { TROUBLES } from './troublesSql.ts';

const FIND_MAX = 200;

/** Where an operator begins: all shops, those that need attention first. */
export function shopListRoutes(context: DashboardContext): OperatorRoute[] {
  const { pool, clock, operator } = context;
  const totalsOfShops = openShopTotals(context);
  return [
    get('/dashboard/operator', 'operator.pages', async (visit, request) => {
      const { find: typed = '', needs, cursor = null } = queryOf(request);
      const find = typed.trim().slice(0, FIND_MAX) || null;
      const id = find === null ? null : await findShopById(pool, find);
      if (id !== null) return { goTo: `/dashboard/operator/shops/${id}` };
      const asked = { find, trouble: find === null ? troubleIn(needs) : null, cursor };
      const now = clock.now();
      if (!isFirstPage(asked))
        return shopsPage(visit, asked, await readShopList(pool, asked, now), now, null);
      const [list, totals, providers, oldestDue] = await Promise.all([
        readShopList(pool, asked, now),
        totalsOfShops(),
        operator.providers(),
        dueSends.oldest(pool, now),
      ]);
      return shopsPage(visit, asked, list, now, { totals, providers, oldestDue });
    }),
  ];
}

interface Asked extends ShopFilter {
  cursor: string | null;
}

const isFirstPage = ({ find, trouble, cursor }: Asked): boolean =>
  find === null && trouble === null && cursor === null;

/** As many of the shops that need attention as stand above all others. */
const FIRST_SHOWN = 10;

/** What the page lists. The number of its statements is the same for any number of shops. */
export async function readShopList(db: Queryable, asked: Asked, now: Date) {
  const [troubles, { items, next_cursor }] = await Promise.all([
    countTroubles(db),
    readShops(db, asked, asked.cursor),
  ]);
  const urgent = shopsInTrouble(troubles);
  const first = isFirstPage(asked) ? urgent.slice(0, FIRST_SHOWN) : [];
  const listed = items.map(({ id }) => id);
  const rows = new Map(
    (await readShopLines(db, [...new Set([...first, ...listed])], now)).map((row) => [row.id, row]),
  );
  const rowsOf = (ids: readonly string[]) => ids.flatMap((id) => rows.get(id) ?? []);
  return { troubles, first: rowsOf(first), shops: rowsOf(listed), next_cursor, urgent: urgent.length };
}
type ShopList = Awaited<ReturnType<typeof readShopList>>;

function shopsPage(visit: Visit, asked: Asked, list: ShopList, now: Date, state: ServiceState | null): Page {
  const { find, trouble } = asked;
  const path = visit.site.to('/dashboard/operator');
  const { first, shops, next_cursor } = list;
  const title = titleOf(asked);
  return {
    operatorAt: 'shops',
    title: 'Shops',
    searched: find,
    heading: (
      <div class="title-row">
        <h1>Shops</h1>
        <a class="button" href={`${path}/shops/new`}>
          Create a shop
        </a>
      </div>
    ),
    children: (
      <>
        <TroubleLinks path={path} troubles={list.troubles} chosen={trouble} />
        {state !== null && <Summary visit={visit} state={state} now={now} />}
        {first.length > 0 && (
          <section class="panel list-panel shop-list" aria-labelledby="first">
            <h2 id="first">Need attention</h2>
            <ShopTable path={path} caption="Shops that need attention" shops={first} />
            {list.urgent > first.length && (
              <p class="hint">{`These are the ${first.length} most urgent. The links above list the others.`}</p>
            )}
          </section>
        )}
        {shops.length > 0 ? (
          <section class="panel list-panel shop-list" aria-labelledby="listed">
            <h2 id="listed">{title}</h2>
            <ShopTable path={path} caption={title} shops={shops} />
          </section>
        ) : (
          <NoShop path={path} asked={asked} />
        )}
        <Pager
          links={[
            !isFirstPage(asked) && [path, 'All shops, newest first'],
            next_cursor !== null && [
              withQuery(path, { find, needs: trouble, cursor: next_cursor }),
              'Older shops',
            ],
          ]}
        />
      </>
    ),
  };
}

function titleOf({ find, trouble }: Asked): string {
  if (find !== null) return `Shops found by “${find}”, newest first`;
  return trouble === null ? 'All shops, newest first' : `${TROUBLES[trouble].title}: the shops, newest first`;
}

function NoShop({ path, asked: { find, trouble } }: { path: string; asked: Asked }) {
  if (trouble !== null)
    return <EmptyState title="No shop is so" text="What was wrong may have been put right just now." />;
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
