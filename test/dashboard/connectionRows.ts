import { addConnection } from '../../src/connections/connections.ts';
import type { ConnectionKind } from '../../src/connections/kinds/kind.ts';
import type { WouldPush } from '../../src/connections/results.ts';
import { newId } from '../../src/kit/ids.ts';
import { createSealer } from '../../src/kit/seal.ts';
import type { TestService } from '../support/service.ts';

interface NewRow {
  kind?: ConnectionKind;
  name?: string;
  storeUrl?: string;
}

/** A connection, made as the command line makes one. */
export const connectionOf = (
  { pool, clock, secretKey }: Pick<TestService, 'pool' | 'clock' | 'secretKey'>,
  businessId: string,
  { kind = 'woocommerce', name, storeUrl }: NewRow = {},
) =>
  addConnection(
    { pool, clock, sealer: createSealer([secretKey]) },
    {
      businessId,
      kind,
      name: name ?? null,
      secret: null,
      storeUrl: storeUrl ?? null,
      credentials: null,
      actor: 'operator',
    },
  );

interface NewCall {
  topic?: string;
  order?: string | null;
  outcome?: string | null;
  reason?: string | null;
  messageId?: string | null;
  wouldPush?: readonly WouldPush[];
  /** As the store sent it. */
  body?: string;
  receivedAt?: Date;
}

let calls = 0;

/** A call as the log has it once it was handled; its connection has received it. */
export async function callOf(
  { pool, clock }: Pick<TestService, 'pool' | 'clock'>,
  { businessId, id: connectionId }: { businessId: string; id: string },
  call: NewCall = {},
): Promise<string> {
  const { topic = 'order.updated', order = null, outcome = 'nothing_to_tell', reason = null } = call;
  const { messageId = null, wouldPush = null, body = '{}', receivedAt = clock.now() } = call;
  calls += 1;
  const id = newId(receivedAt);
  await pool.query(
    `insert into connection_calls (business_id, connection_id, id, call_key, topic, store_order, order_number, headers, body,
       received_at, is_watched, outcome, reason, message_id, would_push)
     values ($1, $2, $3, $4, $5, $6, $6, '{}', $7, $8, $9, $10, $11, $12, $13::jsonb)`,
    [
      businessId,
      connectionId,
      id,
      `call ${calls}`,
      topic,
      order,
      Buffer.from(body),
      receivedAt,
      wouldPush !== null,
      outcome,
      reason,
      messageId,
      wouldPush === null ? null : JSON.stringify(wouldPush),
    ],
  );
  await pool.query('update connections set last_received_at = greatest(last_received_at, $2) where id = $1', [
    connectionId,
    receivedAt,
  ]);
  return id;
}

/** A message that a watched call would have made. */
export const wouldPushOf = (more: Partial<WouldPush> = {}): WouldPush => ({
  order_status: 'confirmed',
  recipient_email: 'mari@example.com',
  language: 'en',
  subject: 'We have your order 1001',
  body: 'Hello Mari,\n\nThank you for your order 1001.\n\n1 × Wool scarf\n2 × Candle\n\nhttps://shop.example/orders/1001',
  preview: {
    created: true,
    nudged: true,
    scheduled_for: null,
    email: { sending: true, skipped_reason: null },
    sms: null,
    sms_units: 0,
    whatsapp: null,
    whatsapp_opt_in: null,
    reference: '1001',
    order_status: 'confirmed',
    updates: null,
    obsoletes: [],
    nudges: [
      {
        channel: 'email',
        when: 'now',
        at: null,
        credits: 0,
        subject: 'We have your order 1001',
        text: 'Open it: {link}',
        template: null,
      },
    ],
    balance_after: 100,
    language: 'en',
  },
  ...more,
});

/** An order as WooCommerce sends it. */
export const wooOrder = (number: string, status: string, more: Record<string, unknown> = {}): string =>
  JSON.stringify({
    id: Number(number),
    number,
    status,
    date_created_gmt: '2026-08-20T09:00:00',
    date_modified_gmt: '2026-08-20T09:15:00',
    date_paid_gmt: '2026-08-20T09:10:00',
    date_completed_gmt: status === 'completed' ? '2026-08-20T09:15:00' : null,
    total: '34.90',
    billing: { email: 'mari@example.com', first_name: 'Mari', phone: '', country: 'EE' },
    line_items: [
      { name: 'Wool scarf', quantity: 1 },
      { name: 'Candle', quantity: 2 },
    ],
    meta_data: [],
    refunds: [],
    ...more,
  });
