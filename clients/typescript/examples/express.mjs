import { InMemoryDeduper, processOnce, verifyWebhook, WebhookVerificationError } from '@waypost/client';
import express from 'express';

export function receiver(secret, handle) {
  const seen = new InMemoryDeduper();
  const app = express();
  // The raw body: no express.json() before this route.
  app.post('/hooks', express.raw({ type: 'application/json' }), async (request, response) => {
    try {
      const event = await verifyWebhook(request.body, request.headers, secret);
      await processOnce(seen, event, handle);
      response.sendStatus(204);
    } catch (error) {
      // A forged request is refused. After a 500 the event comes again.
      if (error instanceof WebhookVerificationError) return response.status(400).send(error.message);
      console.error(error);
      response.sendStatus(500);
    }
  });
  return app;
}
