import { InMemoryDeduper, processOnce, verifyWebhook, WebhookVerificationError } from '@waypost/client';
import { Hono } from 'hono';

export function receiver(secret, handle) {
  const seen = new InMemoryDeduper();
  const app = new Hono();
  app.post('/hooks', async (context) => {
    try {
      const body = await context.req.arrayBuffer();
      const event = await verifyWebhook(body, context.req.raw.headers, secret);
      await processOnce(seen, event, handle);
      return context.body(null, 204);
    } catch (error) {
      // A forged request is refused. After a 500 the event comes again.
      if (error instanceof WebhookVerificationError) return context.text(error.message, 400);
      console.error(error);
      return context.body(null, 500);
    }
  });
  return app;
}
