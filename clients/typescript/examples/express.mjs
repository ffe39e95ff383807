import { InMemoryDeduper, processOnce, verifyWebhook } from '@waypost/client';
import express from 'express';

export function receiver(secret, handle) {
  const seen = new InMemoryDeduper();
  const app = express();
  // The raw body: no express.json() before this route.
  app.post('/hooks', express.raw({ type: 'application/json' }), async (request, response) => {
    const event = await verifyWebhook(request.body, request.headers, secret).catch((error) => error);
    if (event instanceof Error) return response.status(400).send(event.message);
    await processOnce(seen, event, handle);
    response.sendStatus(204);
  });
  return app;
}
