import { parseQuery } from '../../validation/urlText.ts';
import { type DashboardContext, type ShopRoute, sendDashboardPage } from './context.ts';
import { dashboardTroublePage } from './views/notices.tsx';

const RETRY_SECONDS = 30;

/** Tells an open page that something changed on it; the page then asks for itself again. */
export const liveRoutes = ({ site, live }: DashboardContext): ShopRoute[] => [
  {
    method: 'GET',
    path: '/dashboard/:business_id/live',
    action: 'shop.view',
    isStream: true,
    async handle({ shop, session }, request, reply) {
      const { message = null, seen = '' } = parseQuery(request.url.split('?').slice(1).join('?'));
      const [lastSeen] = [request.headers['last-event-id']].flat();
      const stream = live.watch(
        { businessId: shop.id, messageId: message, sessionId: session.id },
        lastSeen ?? seen,
      );
      if (stream === null)
        return sendDashboardPage(reply.header('retry-after', RETRY_SECONDS), 503, dashboardTroublePage(site));
      // A connection that outlives its stream would delay the server's stop.
      return reply
        .type('text/event-stream; charset=utf-8')
        .headers({ 'x-accel-buffering': 'no', connection: 'close' })
        .send(stream);
    },
  },
];
