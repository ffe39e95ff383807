import { InMemoryDeduper, processOnce, verifyWebhook } from '@waypost/client';
import { Hono } from 'hono';

export function receiver(secret, handle) {
  const seen = new InMemoryDeduper();
  const app = new Hono();
  app.post('/hooks', async (context) => {
    const body = await context.req.arrayBuffer();
    const event = await verifyWebhook(body, context.req.raw.headers, secret).catch((error) => error);
    if (event instanceof Error) return context.text(event.message, 400);
    await processOnce(seen, event, handle);
    return context.body(null, 204);
  });
  return app;
}
