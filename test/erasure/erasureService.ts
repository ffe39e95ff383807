import { createServer, type ServerResponse } from 'node:http';
import type { ErasureReport, WhatsappErasureReceipt } from '../../src/contract/recipients.ts';
import { listenOnFreePort } from '../support/freePort.ts';
import { startService, type TestService } from '../support/service.ts';
import { type ApiResponse, expectStatus, type Shop } from '../support/shop.ts';

export interface WebhookEvent {
  businessId: string;
  id: string;
  type: string;
  data: Record<string, unknown>;
}

/** The whole product, and a merchant's server that can be told how to answer. */
export interface ErasureService extends TestService {
  /** Everything a shop's server was told, in order. */
  eventsSentTo(shop: Shop): WebhookEvent[];
  /** How it answers from now on; by default it takes everything. */
  answerWebhooksWith(how: WebhookAnswer): void;
  /** Gives a shop an endpoint at that server. */
  addEndpoint(shop: Shop): Promise<void>;
  /** What is kept of what it answered, by the type of the event. */
  responsesTo(shop: Shop): Promise<{ type: string; response: string | null }[]>;
  receiveWhatsapp(from: string, body: string): Promise<void>;
  receiveSms(from: string, body: string): Promise<void>;
  /** What the service's clock shows. */
  now(): Promise<Date>;
  /** What went wrong inside, as far as it was logged. */
  loggedErrors(): unknown[];
  rows<Row extends object = Record<string, unknown>>(text: string, ...values: unknown[]): Promise<Row[]>;
}

type WebhookAnswer = (response: ServerResponse, body: string) => void;
export const ACCEPT_WEBHOOK: WebhookAnswer = (response) => response.writeHead(204).end();
/** An endpoint that puts the request into its answer, as some error pages do. */
export const REFUSE_WEBHOOK: WebhookAnswer = (response, body) =>
  response.writeHead(500, { 'x-told': encodeURIComponent(body) }).end(`Cannot take ${body}`);

export async function startErasureService(): Promise<ErasureService> {
  const told: WebhookEvent[] = [];
  let answer = ACCEPT_WEBHOOK;
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (part: Buffer) => (body += part.toString()));
    request.on('end', () => {
      told.push({ businessId: (request.url ?? '').slice(1), ...JSON.parse(body) });
      answer(response, body);
    });
  });
  const port = await listenOnFreePort(server);
  const service = await startService({ WEBHOOK_ALLOW_HOSTS: `127.0.0.1:${port}` });

  const play = async (path: string, body: object): Promise<void> => {
    const response = await fetch(`${service.url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    if (response.status !== 200)
      throw new Error(`${path} answered ${response.status}: ${await response.text()}`);
  };

  return {
    ...service,
    eventsSentTo: ({ businessId }) => told.filter((one) => one.businessId === businessId),
    answerWebhooksWith: (how) => {
      answer = how;
    },
    async addEndpoint(shop) {
      const url = `http://127.0.0.1:${port}/${shop.businessId}`;
      expectStatus(201, await shop.call('POST', '/api/v1/webhook-endpoints', { body: { url } }));
    },
    responsesTo: async ({ businessId }) => {
      const { rows } = await service.pool.query<{ type: string; response: string | null }>(
        `select e.type, a.response from webhook_attempts a
         join events e on e.business_id = a.business_id and e.id = a.event_id where a.business_id = $1 order by a.at`,
        [businessId],
      );
      return rows;
    },
    receiveWhatsapp: (from, body) => play('/sandbox/whatsapp/inbound', { from, body }),
    receiveSms: (from, body) => play('/sandbox/sms/inbound', { from, body }),
    async now() {
      const response = await fetch(`${service.url}/sandbox/clock`);
      const { now }: { now: string } = JSON.parse(await response.text());
      return new Date(now);
    },
    loggedErrors: () =>
      service.logged
        .filter(({ level }) => level === 'error')
        .map(({ fields, message }) => `${message}: ${String(fields.error)}`),
    rows: async (text, ...values) => (await service.pool.query(text, values)).rows,
    async close() {
      await service.close();
      server.closeAllConnections();
      server.close();
    },
  };
}

const at = (email: string): string => `/api/v1/recipients/${encodeURIComponent(email)}`;

export const requestErasure = (shop: Shop, email: string, key?: string): Promise<ApiResponse> =>
  shop.post(`${at(email)}/erase`, key);

export const completeErasure = async (shop: Shop, email: string, key?: string): Promise<ErasureReport> =>
  expectStatus(200, await requestErasure(shop, email, key));

export const requestWhatsappErasure = (shop: Shop, email: string, key?: string): Promise<ApiResponse> =>
  shop.post(`${at(email)}/whatsapp/erase`, key);

export const completeWhatsappErasure = async (
  shop: Shop,
  email: string,
  key?: string,
): Promise<WhatsappErasureReceipt> => expectStatus(200, await requestWhatsappErasure(shop, email, key));

export const EMPTY_REPORT: ErasureReport = {
  messages_deleted: 0,
  message_events_deleted: 0,
  channel_sends_deleted: 0,
  message_links_deleted: 0,
  whatsapp_replies_deleted: 0,
  webhook_payloads_scrubbed: 0,
  queued_jobs_cancelled: 0,
  idempotency_records_deleted: 0,
  audit_entries_pseudonymised: 0,
  subscription_deleted: false,
  stops_kept: 0,
  suppressions_kept: 0,
  auto_reply_windows_dropped: 0,
  replies_a_forward_email_may_have_carried: 0,
};

let numbers = 0;

/** A British number that nobody else in the tests has, and that behaves like anyone's. */
export const freshNumber = (): string => `+4477009${String(10_000 + numbers++)}`;
