import { InMemoryDeduper, processOnce, verifyWebhook, WebhookVerificationError } from '@waypost/client';
import fastify from 'fastify';

export function receiver(secret, handle) {
  const seen = new InMemoryDeduper();
  const app = fastify();
  // The raw body, instead of the parsed one.
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, body, done) =>
    done(null, body),
  );
  app.post('/hooks', async (request, reply) => {
    try {
      const event = await verifyWebhook(request.body, request.headers, secret);
      await processOnce(seen, event, handle);
      return reply.code(204).send();
    } catch (error) {
      // A forged request is refused. After a 500 the event comes again.
      if (error instanceof WebhookVerificationError) return reply.code(400).send(error.message);
      console.error(error);
      return reply.code(500).send();
    }
  });
  return app;
}
