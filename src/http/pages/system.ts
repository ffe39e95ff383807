import type { FastifyInstance } from 'fastify';
import { stringify } from 'yaml';
import { messageOf } from '../../kit/errors.ts';
import type { Metrics } from '../metrics.ts';

export interface Readiness {
  ready: boolean;
  database: 'reachable' | 'unreachable';
  writes: 'progressing' | 'stalled';
  migrations: 'current' | 'pending' | 'unknown';
  /** How long the oldest due send has waited. */
  outbox_lag_seconds: number | null;
  warnings: string[];
}

export interface SystemDeps {
  readiness: () => Promise<Readiness>;
  metrics: Metrics;
  document: Record<string, unknown>;
}

/** What machines ask: is it up, is it ready, what does it count, what does it offer. */
export function systemRoutes({ readiness, metrics, document }: SystemDeps) {
  const asJson = JSON.stringify(document);
  const asYaml = stringify(document, { aliasDuplicateObjects: false });
  return (app: FastifyInstance): void => {
    app.get('/healthz', async () => ({ status: 'ok' }));
    app.get('/readyz', async (_request, reply) => {
      const found = await readiness();
      return reply.code(found.ready ? 200 : 503).send(found);
    });
    app.get('/metrics', async (_request, reply) => {
      const text = await metrics.text().catch((error: unknown) => `# ${messageOf(error)}\n`);
      return reply.header('content-type', metrics.contentType).send(text);
    });
    app.get('/openapi.json', async (_request, reply) =>
      reply.type('application/json; charset=utf-8').send(asJson),
    );
    app.get('/openapi.yaml', async (_request, reply) =>
      reply.type('application/yaml; charset=utf-8').send(asYaml),
    );
  };
}
