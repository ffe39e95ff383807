import type { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { sendEventStream } from '../../../api/streams.ts';
import { idFrom, lastSeenOf, queryOf } from '../../kit/request.ts';
import type { Answer, DashboardContext, OperatorRoute, ShopRoute } from '../context.ts';
import { trouble, wrongRequest } from '../notices.ts';
import { get } from '../route.ts';
import { OUTBOX_OF_ALL } from './reads.ts';

const RETRY_SECONDS = 30;

/** Says to an open page that something changed on it; the page then asks for itself again. */
export const liveRoutes = ({ live }: DashboardContext): ShopRoute[] => [
  get('/live', { action: 'shop.view', isStream: true }, async ({ shop, session }, request, reply) => {
    const { message, connection, endpoint } = queryOf(request);
    const [messageId, connectionId, endpointId] = [idFrom(message), idFrom(connection), idFrom(endpoint)];
    const isMalformed = (text: string | undefined, id: string | null) => text !== undefined && id === null;
    if (
      isMalformed(message, messageId) ||
      isMalformed(connection, connectionId) ||
      isMalformed(endpoint, endpointId)
    )
      return wrongRequest(422);
    const page = { businessId: shop.id, messageId, connectionId, endpointId, sessionId: session.id };
    return answerWith(live.watch(page, lastSeenOf(request)), request, reply);
  }),
];

/** The same of the operator's page of the outbox. */
export const operatorLiveRoutes = ({ live }: DashboardContext): OperatorRoute[] => [
  get(
    '/dashboard/operator/live',
    { action: 'operator.pages', isStream: true },
    async ({ session }, request, reply) => {
      const page = { businessId: OUTBOX_OF_ALL, sessionId: session.id };
      return answerWith(live.watch(page, lastSeenOf(request)), request, reply);
    },
  ),
];

const answerWith = (stream: Readable | null, request: FastifyRequest, reply: FastifyReply): Answer =>
  stream === null ? trouble(503, RETRY_SECONDS) : { sent: sendEventStream(request, reply, stream) };
