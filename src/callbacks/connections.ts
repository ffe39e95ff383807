import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ANYONE_WEIGHT } from '../api/admission.ts';
import type { RateLimit } from '../api/rateLimit.ts';
import { admitAs, bodyParser, noCapacity } from '../api/readBody.ts';
import type { ConnectionKind, RawCall } from '../connections/kinds/kind.ts';
import { knownKind } from '../connections/kinds.ts';
import type { ReceiveOutcome, Receiver, ReceivingConnection } from '../connections/receive.ts';
import { MINUTE, monotonicMs } from '../kit/clock.ts';
import { ApiError } from '../kit/errors.ts';
import type { Log } from '../kit/log.ts';
import { searchOf } from './routes.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The connection whose address was called. */
    calledConnection: ReceivingConnection | null;
  }
}

interface ConnectionRouteDeps {
  receiver: Receiver;
  /** By connection and business; null: off. Not the one of the API: a store that sends much keeps no push of its shop waiting. */
  rateLimit: RateLimit | null;
  log: Log;
  observe(kind: ConnectionKind, outcome: ReceiveOutcome | 'rate_limited'): void;
}

const CALL_BYTES_MAX = 1024 * 1024;
const ANY_CONNECTION = 'calls of connections';

/** Where stores and tracking services send their calls. Bodies stay bytes, because signatures cover the bytes. */
export const connectionCallRoutes =
  (deps: ConnectionRouteDeps) =>
  (app: FastifyInstance): void => {
    app.register(async (scope) => {
      scope.removeAllContentTypeParsers();
      scope.addContentTypeParser(
        '*',
        bodyParser((body) => body),
      );
      scope.decorateRequest('calledConnection', null);
      const refuse = refuser(deps);
      scope.post<{ Params: { kind: string; id: string } }>(
        '/connect/:kind/:id',
        {
          bodyLimit: CALL_BYTES_MAX,
          onRequest: async (request) => {
            request.calledConnection = await admitCallOf(deps, request, request.params);
          },
        },
        (request, reply) => handle(deps, refuse, request, reply),
      );
    });
  };

/** Before the body is read: whether there is such a connection, and whether it may call now. Its bodies crowd out no request to the API. */
async function admitCallOf(
  { receiver, rateLimit, observe }: ConnectionRouteDeps,
  request: FastifyRequest,
  params: { kind: string; id: string },
): Promise<ReceivingConnection> {
  const admitted = admitAs(request, ANY_CONNECTION, ANYONE_WEIGHT);
  if (admitted === null) throw noCapacity();
  const kind = knownKind(params.kind);
  const connection = kind && (await receiver.find(kind, params.id));
  if (kind === null || connection === null) throw new ApiError('common.not_found');
  const { id, business_id: businessId } = connection.row;
  const allowance = rateLimit?.(id, businessId);
  if (allowance?.allowed === false) {
    observe(kind, 'rate_limited');
    const after = String(allowance.retryAfterSeconds);
    throw new ApiError('common.rate_limited', undefined, { 'retry-after': after });
  }
  if (!admitted.moveTo(`${ANY_CONNECTION} of ${businessId}`)) throw noCapacity();
  return connection;
}

async function handle(
  { receiver, observe }: ConnectionRouteDeps,
  refuse: Refuse,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { calledConnection: connection, admitted } = request;
  if (connection === null) throw new ApiError('common.not_found');
  // Its bytes are held until it is stored, also where the caller has hung up.
  admitted?.workBegins();
  try {
    const outcome = await receiver.receive(connection, rawCallOf(request));
    observe(connection.row.kind, outcome);
    if (outcome === 'removed') throw new ApiError('common.not_found');
    return outcome === 'refused' ? refuse(connection, reply) : reply.code(200).send();
  } finally {
    admitted?.workEnds();
  }
}

const rawCallOf = (request: FastifyRequest): RawCall => ({
  header(name) {
    const values = request.raw.headersDistinct[name];
    return values?.length === 1 ? values[0] : undefined;
  },
  query: new URLSearchParams(searchOf(request)),
  body: Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0),
});

type Refuse = (connection: ReceivingConnection, reply: FastifyReply) => FastifyReply;

/** The log mentions refused calls at most this often, because anyone can send them. */
const REFUSALS_LOGGED_EVERY_MS = MINUTE;

function refuser({ log }: ConnectionRouteDeps): Refuse {
  let loggedAt = Number.NEGATIVE_INFINITY;
  return ({ row }, reply) => {
    const now = monotonicMs();
    if (now - loggedAt > REFUSALS_LOGGED_EVERY_MS) {
      loggedAt = now;
      log.warn({ connection_id: row.id, kind: row.kind }, 'call of a connection refused: wrong signature');
    }
    return reply
      .code(401)
      .type('text/plain; charset=utf-8')
      .send('This is not signed with the secret of this connection.\n');
  };
}
