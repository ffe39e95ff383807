import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { TraceSpan, Tracing } from '../kit/tracing.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Null where traces are off. */
    span: TraceSpan | null;
  }
}

/** Probes would be most of the traces. */
const UNTRACED = new Set(['/healthz', '/readyz', '/metrics']);

/** Gives every request a span, named by its route: a path can hold a secret. Call it before other hooks are added. */
export function traceRequests(app: FastifyInstance, tracing: Tracing): void {
  app.addHook('onRequest', (request, reply, done) => {
    const { method } = request;
    const { url: route } = request.routeOptions;
    if (route === undefined || !UNTRACED.has(route)) {
      request.span = tracing.start(route === undefined ? method : `${method} ${route}`, {
        kind: 'server',
        parent: parentOf(request),
        attributes: { 'http.request.method': method, 'http.route': route },
      });
      // Also when the caller hangs up, and there is no response.
      reply.raw.once('close', () => endSpan(request, reply));
    }
    done();
  });
}

/** Only the merchants' API continues the trace of its caller: on a page anyone could make us keep a trace. */
function parentOf({ headers, routeOptions }: FastifyRequest): string | undefined {
  const { traceparent } = headers;
  return typeof traceparent === 'string' && routeOptions.url?.startsWith('/api/') ? traceparent : undefined;
}

function endSpan({ span, caller }: FastifyRequest, { raw, statusCode }: FastifyReply): void {
  const failure = statusCode >= 500 ? String(statusCode) : raw.writableFinished ? null : 'closed';
  span?.end(
    {
      'http.response.status_code': raw.headersSent ? statusCode : null,
      'waypost.business_id': caller?.businessId,
      'waypost.key_id': caller?.keyId,
    },
    failure,
  );
}
