import { InMemoryDeduper, processOnce, verifyWebhook } from '@waypost/client';

/** In app/hooks/route.js: export const POST = receiver(process.env.WAYPOST_WEBHOOK_SECRET, handle). */
export function receiver(secret, handle) {
  const seen = new InMemoryDeduper();
  return async function POST(request) {
    const body = await request.arrayBuffer();
    const event = await verifyWebhook(body, request.headers, secret).catch((error) => error);
    if (event instanceof Error) return new Response(event.message, { status: 400 });
    await processOnce(seen, event, handle);
    return new Response(null, { status: 204 });
  };
}
