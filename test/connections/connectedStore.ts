import { createHmac } from 'node:crypto';
import { addConnection, removeConnection, rotateSecret } from '../../src/connections/connections.ts';
import type { ConnectionKind } from '../../src/connections/kinds/kind.ts';
import { createSealer } from '../../src/kit/seal.ts';
import type { TestService } from '../support/service.ts';
import type { Shop } from '../support/shop.ts';

export const SECRET = 'z1x2c3v4b5n6m7q8w9e0r1t2y3u4i5o6';

/** A connection of a shop, as `connection add` makes one. */
export interface ConnectedStore {
  id: string;
  businessId: string;
  url: string;
  /** A signed order update; `sent` changes the request. */
  send(order: unknown, sent?: Partial<SentCall>): Promise<{ status: number; text: string; headers: Headers }>;
  /** What is stored of its calls, oldest first. */
  calls(): Promise<Record<string, unknown>[]>;
  change(columns: Record<string, unknown>): Promise<void>;
  rotate(secret: string, options?: { now?: boolean }): Promise<unknown>;
  remove(): Promise<void>;
}

export interface SentCall {
  url: string;
  secret: string;
  headers: Record<string, string>;
  body: string | Buffer<ArrayBuffer>;
}

export const signatureOf = (secret: string, body: string | Buffer): string =>
  createHmac('sha256', secret).update(body).digest('base64');

export async function connectStore(
  service: TestService,
  shop: Shop,
  { kind = 'woocommerce', ...columns }: Record<string, unknown> & { kind?: ConnectionKind } = {},
): Promise<ConnectedStore> {
  const { pool } = service;
  const deps = { pool, clock: service.clock, sealer: createSealer([service.secretKey]) };
  const asked = { kind, name: null, secret: SECRET, storeUrl: null, credentials: null, actor: 'operator' };
  const { connection } = await addConnection(deps, { businessId: shop.businessId, ...asked });
  const { id } = connection;
  const url = `${service.url}/connect/${kind}/${id}`;
  const change = async (changed: Record<string, unknown>): Promise<void> => {
    const sets = Object.keys(changed).map((name, index) => `${name} = $${index + 2}`);
    await pool.query(`update connections set ${sets.join(', ')} where id = $1`, [
      id,
      ...Object.values(changed),
    ]);
  };
  if (Object.keys(columns).length > 0) await change(columns);
  return {
    id,
    businessId: shop.businessId,
    url,
    change,
    rotate: (secret, options = {}) =>
      rotateSecret(deps, connection, { now: false, ...options, secret }, 'operator'),
    remove: () => removeConnection(deps, connection, 'operator'),
    async send(order, sent = {}) {
      const { secret = SECRET, body = JSON.stringify(order), headers = {} } = sent;
      const response = await fetch(sent.url ?? url, {
        method: 'POST',
        body,
        headers: { ...headersOf(kind, signatureOf(secret, body)), ...headers },
      });
      return { status: response.status, text: await response.text(), headers: response.headers };
    },
    calls: async () =>
      (await pool.query('select * from connection_calls where connection_id = $1 order by id', [id])).rows,
  };
}

let deliveries = 0;

function headersOf(kind: ConnectionKind, signature: string): Record<string, string> {
  deliveries += 1;
  return kind === 'shopify'
    ? {
        'content-type': 'application/json',
        'x-shopify-hmac-sha256': signature,
        'x-shopify-topic': 'orders/updated',
        'x-shopify-webhook-id': `delivery-${deliveries}`,
      }
    : {
        'content-type': 'application/json',
        'x-wc-webhook-signature': signature,
        'x-wc-webhook-topic': 'order.updated',
      };
}

/** An order as WooCommerce has it, in our own values. */
export const wooOrder = (change: Record<string, unknown> = {}) => ({
  id: 4711,
  number: '4711',
  status: 'processing',
  date_created_gmt: '2026-08-20T09:00:00',
  date_modified_gmt: '2026-08-20T09:05:00',
  billing: { email: 'ann@example.com', first_name: 'Ann' },
  line_items: [{ name: 'Red mug', quantity: 1 }],
  meta_data: [],
  ...change,
});
