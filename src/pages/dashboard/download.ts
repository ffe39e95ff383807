import { type DashboardContext, type ShopRoute, sendDashboardPage } from './context.ts';
import { tooManyDownloadsPage } from './notices.tsx';

const RETRY_SECONDS = 30;
const STATUS = { shop_limit: 429, total_limit: 503 } as const;

/** A route that answers with a file. One too many at once gets a page that says so. */
export const asDownload =
  (
    { site, downloads }: Pick<DashboardContext, 'site' | 'downloads'>,
    handle: ShopRoute['handle'],
  ): ShopRoute['handle'] =>
  async (visit, request, reply, isStillAllowed) => {
    const answered = await downloads.answer(visit.shop.id, request, () =>
      handle(visit, request, reply, isStillAllowed),
    );
    if (typeof answered !== 'string') return answered;
    const page = tooManyDownloadsPage(site);
    return sendDashboardPage(reply.header('retry-after', RETRY_SECONDS), STATUS[answered], page);
  };
