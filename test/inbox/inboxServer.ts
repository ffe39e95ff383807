import { randomBytes } from 'node:crypto';
import Fastify, { type FastifyInstance } from 'fastify';
import { createAdmission } from '../../src/api/admission.ts';
import { HTTP_LIMITS } from '../../src/api/limits.ts';
import { createPace, useCapacity } from '../../src/api/readBody.ts';
import { LINK_LIFETIME_MS } from '../../src/config/limits.ts';
import { readConfig } from '../../src/environment/config.ts';
import { clientAddressBehind } from '../../src/kit/clientAddress.ts';
import { later, systemClock } from '../../src/kit/clock.ts';
import { newId, randomToken, sha256 } from '../../src/kit/ids.ts';
import { createHasher } from '../../src/kit/seal.ts';
import { inboxRoutes } from '../../src/pages/inbox/routes.ts';
import { type TestDatabase, testDatabase } from '../support/database.ts';
import { type LogLine, recordingLog } from '../support/recordingLog.ts';
import { SECRET_KEY } from '../support/secretKey.ts';

/** Someone signed in, as their browser keeps it. */
export interface InboxSession {
  cookie: string;
  /** Reads a page. */
  get(path: string): Promise<InjectedResponse>;
  /** Sends a form as the page at `from` would. */
  submit(
    path: string,
    fields?: Record<string, string>,
    headers?: Record<string, string>,
  ): Promise<InjectedResponse>;
}

export interface InjectedResponse {
  statusCode: number;
  body: string;
  headers: Record<string, unknown>;
}

/** A server with the inbox's pages and nothing else, on a database of its own, with a clock that can be moved. */
export interface InboxServer {
  app: FastifyInstance;
  database: TestDatabase;
  url: string;
  hasher: (kind: 'email' | 'phone', text: string) => Buffer;
  logged: LogLine[];
  /** How often the parts that deliver webhooks and run sends were woken. */
  wakeups: { events: number; sends: number };
  now(): Date;
  advance(milliseconds: number): void;
  business(facts?: {
    name?: string;
    colour?: string | null;
    language?: string;
    supportEmail?: string | null;
    shopUrl?: string | null;
  }): Promise<InboxBusiness>;
  rows(text: string, ...values: unknown[]): Promise<Record<string, unknown>[]>;
  close(): Promise<void>;
}

export interface InboxBusiness {
  id: string;
  recipient(facts?: { email?: string; phone?: string; language?: string }): Promise<InboxRecipient>;
}

export interface InboxRecipient {
  businessId: string;
  id: string;
  email: string;
  message(facts?: MessageOptions): Promise<string>;
  /** A parcel of one of their orders. */
  shipment(reference: string, facts?: ShipmentOptions): Promise<void>;
  /** A link as a nudge would carry it; answers its token. */
  link(messageId: string | null, facts?: { expired?: boolean }): Promise<string>;
  send(facts: SendOptions): Promise<string>;
}

export interface MessageOptions {
  subject?: string;
  body?: string;
  reference?: string | null;
  orderStatus?: string | null;
  status?: 'active' | 'obsolete' | 'retracted';
  replacedBy?: string;
  updatedLater?: number;
  opened?: boolean;
}

export interface ShipmentOptions {
  trackingNumber?: string;
  carrier?: string | null;
  trackingUrl?: string | null;
  expectedOn?: string | null;
  expectedUntil?: string | null;
  /** In any order. */
  events?: readonly TrackingEventOptions[];
}

export interface TrackingEventOptions {
  status: string;
  at: Date;
  location?: string;
  description?: string;
}

export interface SendOptions {
  messageId: string | null;
  channel: 'email' | 'sms' | 'whatsapp';
  state: 'held' | 'queued' | 'accepted';
  escalateMinutes?: number;
  fallbackOf?: string;
  reserved?: number;
}

export async function startInboxServer(options: { publicUrl?: string } = {}): Promise<InboxServer> {
  const database = await testDatabase();
  const { pool } = database;
  const hasher = createHasher(randomBytes(32));
  const woken = { events: 0, sends: 0 };
  const logged: LogLine[] = [];
  // The real time, so that a browser's cookies and the server's sessions agree; moved by the tests.
  let ahead = 0;
  let ordinal = 0;
  const clock = { now: () => later(systemClock.now(), ahead) };
  const rows = async (text: string, ...values: unknown[]) => (await pool.query(text, values)).rows;

  const app = Fastify({ logger: false, routerOptions: { maxParamLength: 1_000 } });
  const { bytesPerSecond, bytesAtOnce } = HTTP_LIMITS;
  useCapacity(
    app,
    createAdmission(HTTP_LIMITS),
    createPace({ perSecond: bytesPerSecond, burst: bytesAtOnce }),
  );
  inboxRoutes(app, {
    pool,
    clock,
    log: recordingLog(logged),
    publicUrl: options.publicUrl ?? 'http://localhost',
    secretKey: SECRET_KEY,
    hasher,
    clientAddress: clientAddressBehind(readConfig({}).trustedProxies),
    onEvents: () => {
      woken.events += 1;
    },
    onSends: () => {
      woken.sends += 1;
    },
  });
  const url = await app.listen({ port: 0, host: '127.0.0.1' });

  const newOrdinal = () => {
    ordinal = (ordinal + 1) % 1_296;
    return ordinal;
  };
  const makePerson = (businessId: string, id: string, email: string): InboxRecipient => ({
    businessId,
    id,
    email,
    async message(facts = {}) {
      const now = clock.now();
      const messageId = newId(now, newOrdinal());
      const updated = later(now, facts.updatedLater ?? 0);
      await rows(
        `insert into messages (business_id, id, recipient_id, subject, body, kind, status, reference, order_status,
           replaced_by, created_at, updated_at, obsoleted_at, retracted_at, opened_at)
         values ($1, $2, $3, $4, $5, 'one_off', $6, $7, $8, $9, $10, $11,
           case when $6 = 'obsolete' then $10::timestamptz end, case when $6 = 'retracted' then $10::timestamptz end, $12)`,
        ...[
          businessId,
          messageId,
          id,
          facts.subject ?? 'Your order is on its way',
          facts.body ?? 'It left us today.',
        ],
        ...[
          facts.status ?? 'active',
          facts.reference ?? null,
          facts.orderStatus ?? null,
          facts.replacedBy ?? null,
        ],
        ...[now, updated, facts.opened ? now : null],
      );
      return messageId;
    },
    async shipment(reference, facts = {}) {
      const { trackingNumber = 'CC 123-456-789 EE', events = [] } = facts;
      const [latest] = [...events].sort((one, other) => other.at.getTime() - one.at.getTime());
      await rows(
        `insert into shipments (business_id, reference, tracking_number, id, carrier, tracking_url, expected_on, expected_until,
           status, status_at, updated_at) values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
        ...[businessId, reference, trackingNumber, newId(clock.now(), newOrdinal())],
        ...[
          facts.carrier ?? null,
          facts.trackingUrl ?? null,
          facts.expectedOn ?? null,
          facts.expectedUntil ?? null,
        ],
        ...[latest?.status ?? null, latest?.at ?? null, clock.now()],
      );
      for (const { status, at, location = null, description = null } of events)
        await rows(
          `insert into tracking_events (business_id, reference, tracking_number, status, at, id, description, location, received_at)
           values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
          ...[businessId, reference, trackingNumber, status, at, newId(clock.now(), newOrdinal())],
          ...[description, location, clock.now()],
        );
    },
    async link(messageId, { expired = false } = {}) {
      const token = randomToken();
      const created = expired ? later(clock.now(), -LINK_LIFETIME_MS - 1) : clock.now();
      await rows(
        `insert into links (business_id, send_id, token_hash, recipient_id, message_id, created_at, expires_at)
         values ($1, $2, $3, $4, $5, $6, $7)`,
        ...[
          businessId,
          newId(created),
          sha256(token),
          id,
          messageId,
          created,
          later(created, LINK_LIFETIME_MS),
        ],
      );
      return token;
    },
    async send({ messageId, channel, state, escalateMinutes, fallbackOf, reserved = 0 }) {
      const sendId = newId(clock.now(), newOrdinal());
      await rows(
        `insert into sends (business_id, id, message_id, recipient_id, channel, purpose, state, due_at, credits,
           reserved, escalate_minutes, fallback_of, created_at)
         values ($1, $2, $3, $4, $5, 'nudge', $6, $7, $8, $8 > 0, $9, $10, $11)`,
        ...[
          businessId,
          sendId,
          messageId,
          id,
          channel,
          state,
          state === 'accepted' ? null : clock.now(),
          reserved,
        ],
        ...[escalateMinutes ?? null, fallbackOf ?? null, clock.now()],
      );
      return sendId;
    },
  });

  return {
    app,
    database,
    url,
    hasher,
    logged,
    wakeups: woken,
    now: () => clock.now(),
    advance: (milliseconds) => {
      ahead += milliseconds;
    },
    async business({
      name = 'Kaubamaja',
      colour = null,
      language = 'en',
      supportEmail = null,
      shopUrl = null,
    } = {}) {
      const id = newId(clock.now(), newOrdinal());
      await rows(
        `insert into businesses (id, name, colour, created_at, language, support_email, shop_url)
         values ($1, $2, $3, $4, $5, $6, $7)`,
        ...[id, name, colour, clock.now(), language, supportEmail, shopUrl],
      );
      await rows(`insert into credit_accounts (business_id, balance) values ($1, 100)`, id);
      return {
        id,
        async recipient({ email = `${newId(clock.now(), newOrdinal())}@example.org`, phone, language } = {}) {
          const recipientId = newId(clock.now(), newOrdinal());
          await rows(
            `insert into recipients (business_id, id, email, phone, phone_country, sms_status, whatsapp_status, created_at, language)
             values ($1, $2, $3, $4, $5, $6, $6, $7, $8)`,
            ...[
              id,
              recipientId,
              email,
              phone ?? null,
              phone ? 'EE' : null,
              phone ? 'active' : 'none',
              clock.now(),
              language ?? null,
            ],
          );
          return makePerson(id, recipientId, email);
        },
      };
    },
    rows,
    async close() {
      await app.close();
      await database.drop();
    },
  };
}

/** Follows a link as a browser does, and keeps what it needs to go on. */
export async function signInToInbox(shop: InboxServer, token: string): Promise<InboxSession> {
  const arrival = await shop.app.inject({ method: 'POST', url: `/i/${token}` });
  const cookie = String(arrival.headers['set-cookie']).split(';')[0] ?? '';
  const get = (path: string) => shop.app.inject({ url: path, headers: { cookie } });
  return {
    cookie,
    get,
    async submit(path, fields = {}, headers = {}) {
      const csrf = /name="csrf" value="([^"]+)"/.exec((await get('/inbox')).body)?.[1] ?? '';
      return postForm(shop, path, { csrf, ...fields }, { cookie, ...headers });
    },
  };
}

export const postForm = (
  shop: InboxServer,
  path: string,
  fields: Record<string, string>,
  headers: Record<string, string> = {},
): Promise<InjectedResponse> =>
  shop.app.inject({
    method: 'POST',
    url: path,
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
    payload: new URLSearchParams(fields).toString(),
  });
