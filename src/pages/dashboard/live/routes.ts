import { sendEventStream } from '../../../api/streams.ts';
import { idFrom, lastSeenOf, queryOf } from '../../kit/request.ts';
import { type DashboardContext, type ShopRoute, sendDashboardPage } from '../context.ts';
import { dashboardTroublePage, wrongRequestPage } from '../notices.tsx';
import { get } from '../route.ts';

const RETRY_SECONDS = 30;

/** Tells an open page that something changed on it; the page then asks for itself again. */
export const liveRoutes = ({ site, live }: DashboardContext): ShopRoute[] => [
  get(
    '/dashboard/:business_id/live',
    { action: 'shop.view', isStream: true },
    async ({ shop, session }, request, reply) => {
      const { message } = queryOf(request);
      const messageId = message === undefined ? null : idFrom(message);
      if (message !== undefined && messageId === null)
        return sendDashboardPage(reply, 422, wrongRequestPage(site));
      const page = { businessId: shop.id, messageId, sessionId: session.id };
      const stream = live.watch(page, lastSeenOf(request));
      if (stream === null)
        return sendDashboardPage(reply.header('retry-after', RETRY_SECONDS), 503, dashboardTroublePage(site));
      return sendEventStream(request, reply, stream);
    },
  ),
];
