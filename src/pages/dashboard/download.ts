import type { DashboardContext, ShopRoute } from './context.ts';
import { tooManyDownloads } from './notices.ts';

const STATUS = { shop_limit: 429, total_limit: 503 } as const;

/** A route that answers with a file. One too many at once gets a page that says so. */
export const asDownload =
  ({ downloads }: Pick<DashboardContext, 'downloads'>, handle: ShopRoute['handle']): ShopRoute['handle'] =>
  async (visit, request, reply, isStillAllowed) => {
    const answered = await downloads.answer(visit.shop.id, request, () =>
      handle(visit, request, reply, isStillAllowed),
    );
    return typeof answered === 'string' ? tooManyDownloads(STATUS[answered]) : answered;
  };
