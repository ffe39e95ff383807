import fastify from 'fastify';
import pg from 'pg';
import { DAY, later } from '../../src/kit/clock.ts';
import { AFTER_EVERY_ID, newId } from '../../src/kit/ids.ts';
import { pageOfAll } from '../../src/messages/listSql.ts';
import { type BarePush, bareAnswer, bareFingerprint, ONE_MESSAGE, ONE_PUSH } from './bare.ts';

/** As many as the program's API process has; fewer and more were both slower. */
const CONNECTIONS = 16;

/**
 * The baseline for HTTP requests: plain Fastify and one SQL call per request, with the same rows but no key, validation, rule
 * or log.
 */
export default async function openBareServer({ url, businessId }: { url: string; businessId: string }) {
  const pool = new pg.Pool({ connectionString: url, max: CONNECTIONS });
  const app = fastify({ logger: false });

  app.post<{ Body: BarePush; Headers: { 'idempotency-key': string } }>('/push', async (request, reply) => {
    const { recipient_email, subject, body, reference, order_status } = request.body;
    const now = new Date();
    const id = newId(now);
    const result = bareAnswer(id, request.body, now);
    const message = [businessId, recipient_email, id, now, subject, body, reference, order_status];
    const record = [bareFingerprint(request.body), JSON.stringify(result), later(now, DAY)];
    const values = [...message, newId(now), request.headers['idempotency-key'], ...record];
    await pool.query({ name: 'push', text: ONE_PUSH, values });
    return reply.code(201).send(result);
  });

  app.get<{ Params: { id: string } }>('/messages/:id', async (request) => {
    const { id } = request.params;
    return (await pool.query({ name: 'view', text: ONE_MESSAGE, values: [businessId, id] })).rows[0];
  });

  app.get('/messages', async () => ({ items: await pageOfAll(pool, businessId, '', AFTER_EVERY_ID, 50) }));

  app.post('/nothing', async (_request, reply) => reply.code(201).send({}));

  const { port } = new URL(await app.listen({ host: '127.0.0.1', port: 0 }));
  return { port: async () => Number(port) };
}
