import { InMemoryDeduper, processOnce, verifyWebhook, WebhookVerificationError } from '@waypost/client';

/** In app/hooks/route.js: export const POST = receiver(process.env.WAYPOST_WEBHOOK_SECRET, handle). */
export function receiver(secret, handle) {
  const seen = new InMemoryDeduper();
  return async function POST(request) {
    try {
      const body = await request.arrayBuffer();
      const event = await verifyWebhook(body, request.headers, secret);
      await processOnce(seen, event, handle);
      return new Response(null, { status: 204 });
    } catch (error) {
      // A forged request is refused. After a 500 the event comes again.
      if (error instanceof WebhookVerificationError) return new Response(error.message, { status: 400 });
      console.error(error);
      return new Response(null, { status: 500 });
    }
  };
}
