import { createHash } from 'node:crypto';
import { createBusiness, type NewBusiness } from '../../src/businesses/create.ts';
import type { PushResult } from '../../src/contract/push.ts';
import type { Pool } from '../../src/db/pool.ts';
import { transaction } from '../../src/db/transaction.ts';
import type { KeyClaim } from '../../src/idempotency/idempotency.ts';
import { later } from '../../src/kit/clock.ts';
import { createHasher, type Hasher } from '../../src/kit/seal.ts';
import { resendSms, resendWhatsapp } from '../../src/messages/resend.ts';
import { retractMessage } from '../../src/messages/retract.ts';
import { createPushes } from '../../src/push/pushes.ts';
import type { PushRequest } from '../../src/push/request.ts';
import { NUMBER, request } from '../support/pushState.ts';

export const STARTED_AT = new Date('2026-08-20T09:15:00.000Z');

/** The person agreed to WhatsApp, and the message can be put into a template. */
export const BY_WHATSAPP = {
  phone: NUMBER,
  whatsappOptIn: { source: 'checkout' },
  channels: ['whatsapp'],
} satisfies Partial<PushRequest>;

/** One business on a database that others may share, with a clock of its own that tests move. */
export interface DomainShop {
  businessId: string;
  hash: Hasher;
  clock: { now(): Date };
  advance(milliseconds: number): void;
  push(change?: Partial<PushRequest>): Promise<PushResult>;
  retract(messageId: string): ReturnType<typeof retractMessage>;
  resendSms(messageId: string): ReturnType<typeof resendSms>;
  resendWhatsapp(messageId: string): ReturnType<typeof resendWhatsapp>;
  claim(scope: KeyClaim['scope'], key: string, change?: Partial<KeyClaim>): KeyClaim;
  /** The sends of a message, oldest first, with the columns that tests look at. */
  sends(messageId: string): Promise<ShopSendRow[]>;
  /** Puts the sends of a channel into a state, as a worker or a report would. */
  setSends(messageId: string, channel: string, columns: Record<string, unknown>): Promise<void>;
  credits(): Promise<{ balance: number; reserved: number }>;
  events(): Promise<{ type: string; data: Record<string, unknown> }[]>;
  setBusiness(columns: Record<string, unknown>): Promise<void>;
}

export interface ShopSendRow {
  id: string;
  channel: string;
  purpose: string;
  state: string;
  reason: string | null;
  due_at: Date | null;
  lease: string | null;
  credits: number;
  reserved: boolean;
  charged: boolean;
  escalate_minutes: number | null;
  fallback_of: string | null;
}

export async function openDomainShop(pool: Pool, asked: Partial<NewBusiness> = {}): Promise<DomainShop> {
  let time = STARTED_AT;
  let pushed = 0;
  const clock = { now: () => time };
  const hash = createHasher(Buffer.alloc(32, 7));
  const { businessId, keyId } = await createBusiness(pool, clock, {
    name: 'Acme Books',
    credits: 10,
    ...asked,
  });
  const pushes = createPushes({
    pool,
    clock,
    hash,
    render: (result) => JSON.stringify(result),
    onSendsOf: () => {},
    onEvents: () => {},
  });

  return {
    businessId,
    hash,
    clock,
    advance: (milliseconds) => {
      time = later(time, milliseconds);
    },
    push: async (change = {}) => {
      pushed += 1;
      const key = `push ${pushed}`;
      const item = {
        businessId,
        keyId,
        key,
        fingerprint: fingerprintOf(key),
        request: request(change),
        bytes: 100,
      };
      const result: PushResult = JSON.parse((await pushes.push(item)).body);
      // Real pushes never share a millisecond's place: ids of one instant have no order among themselves.
      time = later(time, 1);
      return result;
    },
    retract: (messageId) => transaction(pool, (tx) => retractMessage(tx, { businessId, messageId }, time)),
    resendSms: (messageId) => transaction(pool, (tx) => resendSms(tx, hash, { businessId, messageId }, time)),
    resendWhatsapp: (messageId) =>
      transaction(pool, (tx) => resendWhatsapp(tx, hash, { businessId, messageId }, time)),
    claim: (scope, key, change = {}) => ({
      businessId,
      scope,
      key,
      fingerprint: fingerprintOf('same'),
      now: time,
      ...change,
    }),
    sends: async (messageId) => {
      const { rows } = await pool.query<ShopSendRow>(
        `select id, channel, purpose, state, reason, due_at, lease, credits, reserved, charged, escalate_minutes, fallback_of
         from sends where business_id = $1 and message_id = $2 order by id`,
        [businessId, messageId],
      );
      return rows;
    },
    setSends: async (messageId, channel, columns) => {
      const names = Object.keys(columns);
      await pool.query(
        `update sends set ${names.map((name, index) => `${name} = $${index + 4}`).join(', ')}
         where business_id = $1 and message_id = $2 and channel = $3`,
        [businessId, messageId, channel, ...Object.values(columns)],
      );
    },
    credits: async () => {
      const { rows } = await pool.query<{ balance: number; reserved: number }>(
        'select balance, reserved from credit_accounts where business_id = $1',
        [businessId],
      );
      return rows[0] ?? { balance: 0, reserved: 0 };
    },
    events: async () => {
      const { rows } = await pool.query('select type, data from events where business_id = $1 order by id', [
        businessId,
      ]);
      return rows;
    },
    setBusiness: async (columns) => {
      const names = Object.keys(columns);
      await pool.query(
        `update businesses set ${names.map((name, index) => `${name} = $${index + 2}`).join(', ')} where id = $1`,
        [businessId, ...Object.values(columns)],
      );
    },
  };
}

export const fingerprintOf = (text: string): string => createHash('sha256').update(text).digest('hex');

/** A moment at which others can be sure that this one has come so far. */
export function latch(): { opened: Promise<void>; open: () => void } {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}
