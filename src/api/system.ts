import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ApiError, messageOf } from '../kit/errors.ts';
import { bearsToken } from './auth.ts';
import { callerSourceOf, isLocalCaller } from './localCaller.ts';
import type { Metrics } from './metrics.ts';
import { OPENMETRICS_TYPE, prefersOpenMetrics } from './openMetrics.ts';

interface SystemDeps {
  /** With details for the operator beside `ready`. */
  readiness: () => Promise<{ ready: boolean }>;
  metrics: Metrics;
  document: Record<string, unknown>;
  /** Opens the details to callers on other machines; null if it is not set. */
  operatorToken: string | null;
}

/** For machines: health, readiness, metrics and the OpenAPI document. */
export function systemRoutes({ readiness, metrics, document, operatorToken }: SystemDeps) {
  const asJson = JSON.stringify(document);
  // Made when it is first asked for: it takes a third of a second of every start.
  let asYaml: string | null = null;
  // The details name providers and quote their messages and the database's: they are for the operator.
  const maySeeDetails = (request: FastifyRequest): boolean =>
    isLocalCaller(callerSourceOf(request)) ||
    (operatorToken !== null && bearsToken(request.headers.authorization, operatorToken));
  return (app: FastifyInstance): void => {
    app.get('/healthz', async () => ({ status: 'ok' }));
    app.get('/readyz', async (request, reply) => {
      const found = await readiness();
      return reply
        .code(found.ready ? 200 : 503)
        .send(maySeeDetails(request) ? found : { ready: found.ready });
    });
    app.get('/metrics', async (request, reply) => {
      if (!maySeeDetails(request))
        throw new ApiError('operator.token_required', undefined, { 'www-authenticate': 'Bearer' });
      const isOpen = prefersOpenMetrics(request.headers.accept);
      const written = isOpen ? metrics.openMetrics() : metrics.text();
      const text = await written.catch(
        (error: unknown) => `# ${messageOf(error)}\n${isOpen ? '# EOF\n' : ''}`,
      );
      return reply
        .header('vary', 'accept')
        .header('content-type', isOpen ? OPENMETRICS_TYPE : metrics.contentType)
        .send(text);
    });
    app.get('/openapi.json', async (_request, reply) =>
      reply.type('application/json; charset=utf-8').send(asJson),
    );
    app.get('/openapi.yaml', async (_request, reply) => {
      asYaml ??= (await import('yaml')).stringify(document, { aliasDuplicateObjects: false });
      return reply.type('application/yaml; charset=utf-8').send(asYaml);
    });
  };
}
