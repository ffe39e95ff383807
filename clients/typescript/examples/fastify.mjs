import { InMemoryDeduper, processOnce, verifyWebhook } from '@waypost/client';
import fastify from 'fastify';

export function receiver(secret, handle) {
  const seen = new InMemoryDeduper();
  const app = fastify();
  // The raw body, instead of the parsed one.
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, body, done) =>
    done(null, body),
  );
  app.post('/hooks', async (request, reply) => {
    const event = await verifyWebhook(request.body, request.headers, secret).catch((error) => error);
    if (event instanceof Error) return reply.code(400).send(event.message);
    await processOnce(seen, event, handle);
    return reply.code(204).send();
  });
  return app;
}
