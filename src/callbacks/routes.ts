import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ANYONE_WEIGHT } from '../api/admission.ts';
import { admitAs, bodyParser, noCapacity } from '../api/readBody.ts';
import { type Clock, MINUTE } from '../kit/clock.ts';
import type { Log } from '../kit/log.ts';
import type { TraceSpan } from '../kit/tracing.ts';
import type { CallbackContent } from '../providers/callbackContent.ts';
import { type CallbackFormat, type CallbackRequest, callbackPath } from '../providers/callbackFormat.ts';
import type { CallbackTally } from './handleCallback.ts';

interface CallbackDeps {
  /** By the name of the provider. */
  formats: ReadonlyMap<string, CallbackFormat>;
  /** Throws if the callback could not be stored: then the provider sends it again. */
  handle(provider: string, content: CallbackContent, span: TraceSpan | null): Promise<CallbackTally>;
  wallClock: Clock;
  log: Log;
  observe(provider: string, outcome: string, count: number): void;
}

/** The log mentions refused callbacks at most this often, because anyone can send them. */
const REFUSALS_LOGGED_EVERY_MS = MINUTE;

/** One route per configured provider. Bodies stay bytes, because signatures cover the bytes. */
export function callbackRoutes(deps: CallbackDeps) {
  return (app: FastifyInstance): void => {
    app.register(async (scope) => {
      scope.removeAllContentTypeParsers();
      scope.addContentTypeParser(
        '*',
        bodyParser((body) => body),
      );
      const refuse = refuser(deps);
      for (const [provider, format] of deps.formats) addRoutes(scope, deps, provider, format, refuse);
    });
  };
}

/** What of a request its format asks for. */
const requestOf = (request: FastifyRequest): CallbackRequest => ({
  header(name) {
    const value = request.headers[name];
    return typeof value === 'string' ? value : undefined;
  },
  search: searchOf(request),
});

export function searchOf({ originalUrl }: FastifyRequest): string {
  const at = originalUrl.indexOf('?');
  return at === -1 ? '' : originalUrl.slice(at);
}

type Refuse = (provider: string, reply: FastifyReply, status?: 401 | 403) => FastifyReply;

/** Its bodies count against the provider's own share, so that they crowd out nobody else. */
function addRoutes(
  scope: FastifyInstance,
  { handle, observe, log }: CallbackDeps,
  provider: string,
  { path = provider, bytesMax, mayBeGenuine, read, refusal, unavailable, answer, handshake }: CallbackFormat,
  refuse: Refuse,
): void {
  scope.post(
    callbackPath(path),
    {
      bodyLimit: bytesMax,
      onRequest: async (request, reply) => {
        if (!mayBeGenuine(requestOf(request))) return refuse(provider, reply, refusal);
        if (admitAs(request, `callbacks of ${provider}`, ANYONE_WEIGHT) === null) throw noCapacity();
      },
      onSend: async (_request, reply, payload) => {
        if (unavailable !== undefined && reply.statusCode >= 500) reply.code(unavailable);
        return payload;
      },
    },
    async (request, reply) => {
      const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
      const content = await read(requestOf(request), body);
      if (content === null) return refuse(provider, reply, refusal);
      if (content === 'not understood') {
        observe(provider, 'not_understood', 1);
        return reply
          .code(422)
          .type('text/plain; charset=utf-8')
          .send('This is no callback of the protocol.\n');
      }
      const tally = await handle(provider, content, request.span);
      for (const [outcome, count] of Object.entries(tally)) if (count > 0) observe(provider, outcome, count);
      if (tally.unknown > 0) log.info({ provider, reports: tally.unknown }, 'callback for unknown sends');
      if (answer === 204 || answer === undefined) return reply.code(answer ?? 200).send();
      return reply.type(answer.type).send(answer.body);
    },
  );
  if (handshake === undefined) return;
  scope.get(callbackPath(path), async (request, reply) => {
    const challenge = handshake(new URLSearchParams(searchOf(request)));
    if (challenge === null) return refuse(provider, reply);
    return reply.type('text/plain; charset=utf-8').send(challenge);
  });
}

function refuser({ observe, wallClock, log }: CallbackDeps): Refuse {
  const loggedAt = new Map<string, number>();
  return (provider, reply, status = 403) => {
    observe(provider, 'refused', 1);
    const now = wallClock.now().getTime();
    if (now - (loggedAt.get(provider) ?? 0) > REFUSALS_LOGGED_EVERY_MS) {
      loggedAt.set(provider, now);
      log.warn({ provider }, 'callback refused: wrong signature or password');
    }
    if (status === 401) reply.header('www-authenticate', 'Basic, Bearer');
    return reply.code(status).type('text/plain; charset=utf-8').send('This is not signed as it should be.\n');
  };
}
