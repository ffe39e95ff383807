import { catchUp } from '../../../orders/projector.ts';
import { PAGE_SIZE } from '../../kit/listPage.ts';
import { sendHtml } from '../../kit/page.tsx';
import { formOf, queryOf, textIn, withQuery } from '../../kit/request.ts';
import type { DashboardContext, ShopRoute, ShopVisit } from '../context.ts';
import type { Page } from '../layout.tsx';
import { openWords, sealWords } from '../messages/query.ts';
import { get, goTo, orNothingHere, post } from '../route.ts';
import { findBeginnings, findCustomers, findOrders, findWhole } from './find.ts';
import { SuggestionList, suggestionsIn } from './suggestions.tsx';
import { allCustomersPage, allOrdersPage, resultsPage } from './views.tsx';

/** Longer than any address, reference, number or id. */
const SEARCH_MAX = 320;
const FOUND_OF_EACH = 8;

/**
 * The search of every page. By POST, and what is typed goes on sealed, so that no address, number or name that is searched for gets
 * into a URL.
 */
export function searchRoutes(context: DashboardContext): ShopRoute[] {
  const { pool, clock, sealer, suggestions } = context;
  const typedIn = (form: URLSearchParams): string => textIn(form, 'text', SEARCH_MAX);
  const opened = ({ shop }: ShopVisit, sealed: string): string =>
    orNothingHere(openWords(sealer, shop.id, sealed));

  return [
    post('/search', 'shop.view', async (visit, request) => {
      const { id } = visit.shop;
      const text = typedIn(formOf(request));
      if (text === '') return goTo(visit, '/search');
      await catchUp(context, id);
      const [only, ...others] = await findWhole(pool, id, text);
      if (only !== undefined && others.length === 0) return goTo(visit, only);
      return goTo(visit, withQuery('/search', { find: sealWords(sealer, id, text) }));
    }),
    get('/search', 'shop.view', async (visit, request): Promise<Page> => {
      const { find, of, after } = queryOf(request);
      if (find === undefined) return resultsPage(visit, null);
      const { id } = visit.shop;
      const text = opened(visit, find);
      await catchUp(context, id);
      const key = after === undefined ? undefined : opened(visit, after);
      const at = { text, find, seal: (last: string) => sealWords(sealer, id, last) };
      if (of === 'customers')
        return allCustomersPage(visit, at, await findCustomers(pool, id, text, PAGE_SIZE, key));
      if (of === 'orders') return allOrdersPage(visit, at, await findOrders(pool, id, text, PAGE_SIZE, key));
      const found = await findBeginnings(pool, id, text, { limit: FOUND_OF_EACH, now: clock.now() });
      return resultsPage(visit, { text, find, found });
    }),
    post('/search/suggestions', 'shop.view', async (visit, request, reply) => {
      const { session, shop } = visit;
      const isSpent = suggestions.isSpent(session.id);
      suggestions.spend(session.id);
      const text = typedIn(formOf(request));
      const found =
        text === '' || isSpent
          ? []
          : suggestionsIn(
              visit,
              await findBeginnings(pool, shop.id, text, { limit: FOUND_OF_EACH, now: clock.now() }),
            );
      if (isSpent) reply.header('retry-after', 60);
      return {
        sent: sendHtml(reply, isSpent ? 429 : 200, SuggestionList({ suggestions: found }).toString()),
      };
    }),
  ];
}
