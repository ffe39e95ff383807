import { sendEventStream } from '../../../api/streams.ts';
import { idFrom, lastSeenOf, queryOf } from '../../kit/request.ts';
import type { DashboardContext, ShopRoute } from '../context.ts';
import { trouble, wrongRequest } from '../notices.ts';
import { get } from '../route.ts';

const RETRY_SECONDS = 30;

/** Says to an open page that something changed on it; the page then asks for itself again. */
export const liveRoutes = ({ live }: DashboardContext): ShopRoute[] => [
  get('/live', { action: 'shop.view', isStream: true }, async ({ shop, session }, request, reply) => {
    const { message } = queryOf(request);
    const messageId = message === undefined ? null : idFrom(message);
    if (message !== undefined && messageId === null) return wrongRequest(422);
    const page = { businessId: shop.id, messageId, sessionId: session.id };
    const stream = live.watch(page, lastSeenOf(request));
    return stream === null ? trouble(503, RETRY_SECONDS) : sendEventStream(request, reply, stream);
  }),
];
