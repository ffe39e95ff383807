import { randomInt } from 'node:crypto';
import { Agent, createServer, request as httpRequest } from 'node:http';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { eventTypes } from '../../src/contract/eventTypes.ts';
import { schemaViolationsIn } from '../support/conformance.ts';
import { listenOnFreePort } from '../support/freePort.ts';
import { type DescribedOperation, type OpenApi, openApiOf } from '../support/openApi.ts';
import { openRawConnection } from '../support/rawConnection.ts';
import { startService, type TestService } from '../support/service.ts';
import { expectStatus, type Shop } from '../support/shop.ts';
import { shortOrLong } from '../support/shortOrLong.ts';
import { type FuzzedRequest, fuzzedRequests, placeholder } from './requests.ts';
import type { Hints } from './values.ts';

const IN_PROCESS = shortOrLong(500, 24_000);
const OVER_SOCKETS = shortOrLong(100, 3_000);
const AS_BYTES = shortOrLong(60, 500);
const AT_ONCE = 40;
const MINUTES = 60_000;

/** In the names of the tests, so that every run prints it; FUZZ_SEED=… makes the same requests again. */
const SEED = Number(process.env.FUZZ_SEED ?? randomInt(2 ** 31));

let service: TestService;
let shop: Shop;
let document: OpenApi;
let requests: fc.Arbitrary<FuzzedRequest>;
const requestsOf = new Map<string, fc.Arbitrary<FuzzedRequest>>();
const receiver = createServer((_request, response) => void response.end());

/** What exists by now; requests name it by kind and number. */
const existing: Record<string, string[]> = {
  message: [],
  key: [],
  endpoint: [],
  cursor: [],
  event_cursor: [],
  own: [],
  foreign: [],
  revoked: [],
};

beforeAll(async () => {
  const port = await listenOnFreePort(receiver);
  service = await startService({ ROLES: 'api', WEBHOOK_ALLOW_HOSTS: `127.0.0.1:${port}` });
  shop = await service.business({ credits: 1_000_000, smsMode: 'on' });
  const other = await service.business();
  existing.own?.push(shop.apiKey);
  existing.foreign?.push(other.apiKey);
  const { id, key }: { id: string; key: string } = expectStatus(201, await shop.call('POST', '/api/v1/keys'));
  await shop.delete(`/api/v1/keys/${id}`);
  existing.revoked?.push(key);
  existing.message?.push((await shop.pushed()).id, (await other.pushed()).id);
  document = await openApiOf(service.url);

  const people = fc.constantFrom(
    ...Array.from({ length: 30 }, (_, n) => `p${n}@example.com`),
    ' Ann@Example.COM ',
  );
  const numbers = fc.constantFrom(...Array.from({ length: 20 }, (_, n) => `+372 5555 ${1000 + n}`), '12');
  const hints: Hints = {
    key_id: placeholder('key'),
    obsoletes: placeholder('message'),
    cursor: placeholder('cursor'),
    after: fc.oneof(placeholder('event_cursor'), fc.constant('latest')),
    types: fc.subarray([...eventTypes], { minLength: 1 }).map((types) => types.join(',')),
    message_id: placeholder('message'),
    wait: fc.constantFrom(0, 0, 0, 1),
    email: people,
    recipient_email: people,
    recipient_phone: numbers,
    phone: numbers,
    subject: fc.constantFrom('Order 1', 'Order 2', 'Order 3'),
    reference: fc.constantFrom('#1', '#2', 'A/3', '..'),
    tracking_number: fc.constantFrom('JD01', ' JD 01-a', '0'),
    language: fc.constantFrom('et', 'fi-FI', 'nn', 'pt-BR', 'tlh', 'zh-Hant-TW', 'x-shop'),
    order_status: fc.constantFrom('shipped', 'delivered', 'teleported'),
    // Nothing that would have to be looked up: a test asks no name server.
    url: fc.nat(12).map((n) => `http://127.0.0.1:${port}/${n}`),
    since: fc.nat(1_000_000).map((n) => new Date(n * 1_000_000).toISOString()),
    until: fc.nat(1_000_000).map((n) => new Date(Date.UTC(2040) + n).toISOString()),
  };
  requests = fc.oneof(
    ...document.operations.map((operation) => {
      const arbitrary = fuzzedRequests(operation, { ...hints, public_id: publicIds(operation.path) });
      requestsOf.set(operation.id, arbitrary);
      return { weight: operation.body ? 3 : 1, arbitrary };
    }),
  );
});
/** Mostly of the kind that the path names, now and then of the other. */
function publicIds(path: string): fc.Arbitrary<string> {
  const [right, wrong] = path.includes('/webhook-endpoints/')
    ? ['endpoint', 'message']
    : ['message', 'endpoint'];
  return fc.oneof({ weight: 9, arbitrary: placeholder(right) }, { weight: 1, arbitrary: placeholder(wrong) });
}

afterAll(async () => {
  receiver.close();
  await service.close();
});

interface Answered {
  status: number;
  header(name: string): string | null;
  text: string;
}
interface Sent {
  method: string;
  url: string;
  headers: Record<string, string>;
  payload: string | Uint8Array | null;
}

const filled = (text: string): string =>
  text.replace(/«(\w+):(\d+)»/g, (_, kind: string, n: string) => {
    const pool = existing[kind] ?? [];
    return pool[Number(n) % Math.max(pool.length, 1)] ?? 'none-yet';
  });

function made({ method, segments, query, headers, payload }: FuzzedRequest): Sent {
  const encoded = (text: string) =>
    encodeURIComponent(filled(text).toWellFormed()).replace(/^\.{1,2}$/, 'dots');
  const search = query.map(([name, value]) => `${encoded(name)}=${encoded(value)}`).join('&');
  return {
    method,
    url: `/${segments.map(encoded).join('/')}${search === '' ? '' : `?${search}`}`,
    headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, filled(value)])),
    payload: typeof payload === 'string' ? filled(payload) : payload,
  };
}

async function inProcess({ method, url, headers, payload }: Sent): Promise<Answered> {
  const answer = await service.app.inject({
    // Fastify's types know only some of the methods that it takes.
    method: method === 'OPTIONS' ? 'OPTIONS' : pick(method),
    url,
    headers,
    ...(payload !== null && { payload: Buffer.from(payload) }),
  });
  return { status: answer.statusCode, header: (name) => asText(answer.headers[name]), text: answer.payload };
}

const pick = (method: string) =>
  (['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'] as const).find((one) => one === method) ?? 'GET';
const asText = (value: unknown): string | null => (value === undefined ? null : String(value));

const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE });
const overSocket = ({ method, url, headers, payload }: Sent): Promise<Answered> =>
  new Promise((resolve, reject) => {
    const content = payload === null ? null : Buffer.from(payload);
    const framed = { ...headers, ...(content && { 'content-length': String(content.length) }) };
    const call = httpRequest(service.url + url, { method, headers: framed, agent }, (response) => {
      const chunks: Buffer[] = [];
      const finish = () =>
        resolve({
          status: response.statusCode ?? 0,
          header: (name) => asText(response.headers[name]),
          text: Buffer.concat(chunks).toString(),
        });
      // Nothing follows a HEAD, unless its URL was refused before anyone could see that it is one.
      if (method === 'HEAD') finish();
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', finish);
      response.on('error', reject);
    });
    call.on('error', reject);
    call.end(content ?? undefined);
  });

/** What the answers tell of what exists now. */
function learn(operation: string, { url }: Sent, { status, text }: Answered): void {
  // Or most endpoints would soon be deleted ones.
  if (operation === 'deleteWebhookEndpoint' && status === 204)
    existing.endpoint = existing.endpoint?.filter((id) => !url.includes(id)) ?? [];
  if (status !== 200 && status !== 201) return;
  if (text === '') return;
  const { id, next_cursor, next }: { id?: string; next_cursor?: string | null; next?: string } =
    JSON.parse(text);
  const kind = KINDS[operation];
  if (kind && id) existing[kind]?.push(id);
  if (next_cursor) existing.cursor?.push(next_cursor);
  if (next) existing.event_cursor?.push(next);
}
const KINDS: Record<string, string> = {
  pushMessage: 'message',
  createKey: 'key',
  createWebhookEndpoint: 'endpoint',
};

/** How often each operation answered with which status, to be sure that the fuzzing reaches something. */
const reached = { asDescribed: new Map<string, number[]>(), broken: new Map<string, number[]>() };

/**
 * A request that the document describes may be refused for what it means (an address that is none, a cursor that is
 * not ours), but not for its form: then the document promises more than the service takes.
 */
function refusedForItsForm({ status, text }: Answered): string[] {
  if (status === 400 || status === 405 || status === 415) return [`the form is refused with ${status}`];
  if (status !== 422) return [];
  const { detail }: { detail: string | { type: string; loc: unknown[] }[] } = JSON.parse(text);
  if (typeof detail === 'string') return [];
  return detail
    .filter(({ type }) => !OF_MEANING.includes(type))
    .map(({ type, loc }) => `${loc.join('.')} is described, but refused as ${type}`);
}

/** Faults that no schema describes: of a value, and of one field beside another or beside what is stored. */
const OF_MEANING = ['value_error', 'missing_reference', 'missing_recipient'];

async function fuzz(
  count: number,
  seed: number,
  send: (request: Sent) => Promise<Answered>,
  arbitrary = requests,
): Promise<void> {
  const queue = fc.sample(arbitrary, { numRuns: count, seed }).entries();
  const worker = async () => {
    for (const [index, fuzzed] of queue) {
      const request = made(fuzzed);
      const answer = await send(request).catch((error: unknown) => ({
        status: 0,
        header: () => null,
        text: String(error),
      }));
      const wrong =
        answer.status >= 500 || answer.status === 0
          ? [`the status is ${answer.status}`]
          : [
              ...schemaViolationsIn(document, { method: request.method, path: request.url }, answer),
              ...(fuzzed.asDescribed ? refusedForItsForm(answer) : []),
            ];
      if (wrong.length > 0) throw new Error(report(seed, index, request, answer, wrong));
      learn(fuzzed.operation, request, answer);
      const statuses = reached[fuzzed.asDescribed ? 'asDescribed' : 'broken'];
      const before = statuses.get(fuzzed.operation);
      if (before) before.push(answer.status);
      else statuses.set(fuzzed.operation, [answer.status]);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
}

/** Whether an operation succeeded and was refused. */
function isReached({ id, responses }: DescribedOperation): boolean {
  const [success = 0] = responses.keys();
  const bad = reached.broken.get(id) ?? [];
  return (reached.asDescribed.get(id) ?? []).includes(success) && bad.some((status) => status >= 400);
}

const countReached = (): number =>
  [...reached.asDescribed.values(), ...reached.broken.values()].flat().length;

const MORE = 20;
const MORE_ROUNDS = 20;

/** By chance each good request of an operation may name something that does not exist: then it gets more. */
async function fuzzUnreached(): Promise<void> {
  for (let round = 0; round < MORE_ROUNDS; round += 1)
    for (const operation of document.operations.filter((one) => !isReached(one)))
      await fuzz(MORE, SEED + 2 + round, inProcess, requestsOf.get(operation.id));
}

const SHOWN = 2_000;
const report = (seed: number, index: number, request: Sent, answer: Answered, wrong: string[]): string =>
  [
    `seed ${seed}, request ${index}: ${wrong.join('; ')}`,
    `${request.method} ${request.url}`,
    JSON.stringify(request.headers),
    request.payload === null
      ? 'no body'
      : JSON.stringify(Buffer.from(request.payload).toString('latin1').slice(0, SHOWN)),
    `answered ${answer.status}: ${answer.text.slice(0, SHOWN)}`,
  ].join('\n');

test(
  `no request makes it fail, and every answer is one that the document describes (seed ${SEED})`,
  async () => {
    await fuzz(IN_PROCESS, SEED, inProcess);
    await fuzz(OVER_SOCKETS, SEED + 1, overSocket);
    agent.destroy();
    expect(countReached()).toBe(IN_PROCESS + OVER_SOCKETS);
    await fuzzUnreached();
    expect(service.logged.filter(({ level }) => level === 'error')).toEqual([]);
  },
  shortOrLong(5, 15) * MINUTES,
);

test('every operation was reached with good and with bad ones', () => {
  const unreached = document.operations.filter((operation) => !isReached(operation)).map(({ id }) => id);
  expect(unreached).toEqual([]);
});

test(
  `no bytes make it fail: whatever is sent on a connection, the next one is answered (seed ${SEED})`,
  async () => {
    const body = JSON.stringify({ recipient_email: 'ann@example.com', subject: 'S', body: 'B' });
    const request =
      `POST /api/v1/messages HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${shop.apiKey}\r\nContent-Type: application/json\r\n` +
      `Idempotency-Key: bytes\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`;
    const hits = fc.array(
      fc.record({ at: fc.nat(request.length - 1), byte: fc.integer({ min: 0, max: 255 }), cut: fc.nat(3) }),
      {
        minLength: 1,
        maxLength: 4,
      },
    );
    const samples = fc.sample(hits, { numRuns: AS_BYTES, seed: SEED }).entries();
    const worker = async () => {
      for (const [index, changes] of samples) {
        let bytes = Buffer.from(request, 'latin1');
        for (const { at, byte, cut } of changes)
          bytes = Buffer.concat([bytes.subarray(0, at), Buffer.from([byte]), bytes.subarray(at + cut)]);
        const connection = await openRawConnection(service.url);
        connection.send(bytes);
        connection.end();
        const received = await connection.closed;
        const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(received)?.[1] ?? 0);
        if (status >= 500)
          throw new Error(`seed ${SEED}, bytes ${index}: ${received}\n${bytes.toString('latin1')}`);
      }
    };
    await Promise.all(Array.from({ length: 8 }, worker));
    expect((await shop.get('/api/v1/credits')).status).toBe(200);
  },
  2 * MINUTES,
);
