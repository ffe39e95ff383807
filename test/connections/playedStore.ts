import { at, listAt, textAt } from '../../src/kit/json.ts';
import { openConsole } from '../cli/console.ts';
import type { TestService } from '../support/service.ts';
import type { Shop } from '../support/shop.ts';
import { capturedMessages, eventually } from '../support/waiting.ts';

/** A call as the log shows it. */
export interface LoggedCall {
  id: string;
  received_at: string;
  topic: string;
  order: string | null;
  outcome: string | null;
  message_id: string | null;
  reason: string | null;
}

/** What a store signs of a call, as headers. */
export type Sign = (body: Buffer, secret: string) => Record<string, string> | Promise<Record<string, string>>;

interface PlayOptions {
  kind: string;
  sign: Sign;
  /** A connection begins by watching. */
  status?: 'watching' | 'live' | 'off';
  /** Of `connection add`. */
  flags?: readonly string[];
  variables?: Record<string, string>;
}

export type PlayedStore = Awaited<ReturnType<typeof playStore>>;

/** A connection as its owner and its store have it: made and read by commands, called over HTTP, and nothing of the inside. */
export async function playStore(
  service: TestService,
  shop: Shop,
  { kind, sign, status = 'live', flags = [], variables = {} }: PlayOptions,
) {
  const cli = openConsole(service.database.url, {
    SECRET_KEY: service.secretKey,
    PUBLIC_URL: service.url,
    ...variables,
  });
  const added = await cli.json('connection', 'add', shop.businessId, kind, ...flags);
  const id = String(added.connection_id);
  const address = String(added.address);
  let secret = String(added.secret);
  const set = (...change: string[]) => cli.json('connection', 'set', id, ...change);
  if (status !== 'watching') await set('--status', status);

  const send = async (body: unknown, headers: Record<string, string> = {}, query = '') => {
    const bytes = Buffer.isBuffer(body)
      ? body
      : Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
    const answer = await fetch(address + query, {
      method: 'POST',
      body: new Uint8Array(bytes),
      headers: { 'content-type': 'application/json', ...(await sign(bytes, secret)), ...headers },
    });
    await answer.arrayBuffer();
    return answer.status;
  };

  const log = async (...more: string[]): Promise<LoggedCall[]> => {
    const { items } = await cli.json('connection', 'log', id, ...more);
    return JSON.parse(JSON.stringify(items));
  };

  /** All calls, newest first, once each has been handled. */
  const handled = () =>
    eventually(async () => {
      const calls = await log();
      if (calls.some(({ outcome }) => outcome === null)) throw new Error('not handled yet');
      return calls;
    });

  return {
    id,
    address,
    secret,
    added,
    cli,
    set,
    send,
    log,
    handled,
    /** The store calls, and the call is handled: outcome and reason. */
    async hear(body: unknown, headers: Record<string, string> = {}): Promise<string> {
      const answered = await send(body, headers);
      if (answered !== 200) return String(answered);
      const [call] = await handled();
      return [call?.outcome, call?.reason].filter((word) => word !== null).join(' ');
    },
    run: (callId: string) => cli.json('connection', 'run', id, callId),
    remove: () => cli.json('connection', 'remove', id),
    async rotate(...more: string[]): Promise<string> {
      secret = String((await cli.json('connection', 'rotate', id, ...more)).secret);
      return secret;
    },
    /** As `connection list` shows it. */
    async listed(): Promise<Record<string, unknown>> {
      const { items } = await cli.json('connection', 'list', shop.businessId);
      const one = listAt({ items }, 'items').find((item) => textAt(item, 'id') === id);
      return JSON.parse(JSON.stringify(one ?? null));
    },
  };
}

/** What the shop's customers were told, oldest first: order status and reference. */
export async function toldBy(shop: Shop): Promise<string[]> {
  const { body } = await shop.get('/api/v1/messages?limit=100');
  return listAt(body, 'items')
    .map((message) => `${textAt(message, 'order_status')} ${textAt(message, 'reference')}`)
    .reverse();
}

/** What the shop's customers got, oldest first, once there are so many. */
export const nudgesOf = (service: TestService, shop: Shop, count: number, channel = 'email') =>
  eventually(async () => {
    const all = await capturedMessages(service.url, { channel });
    const ours = all.filter(({ business_id }) => business_id === shop.businessId).reverse();
    if (ours.length !== count) throw new Error(`${ours.length} instead of ${count}`);
    return ours;
  });

/** The shipments of an order, each as its number, carrier and address. */
export async function shipmentsOf(shop: Shop, reference: string): Promise<unknown[]> {
  const { body } = await shop.get(`/api/v1/orders/${encodeURIComponent(reference)}`);
  return listAt(body, 'shipments').map((one) => [
    at(one, 'tracking_number'),
    at(one, 'carrier'),
    at(one, 'tracking_url'),
  ]);
}
