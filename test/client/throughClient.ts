import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { createCall, filledPath, queryString } from '../../clients/typescript/src/call.ts';
import { WaypostError } from '../../clients/typescript/src/errors.ts';
import { type Operations, operations } from '../../clients/typescript/src/generated/api.ts';
import { createSend, type FetchResponse } from '../../clients/typescript/src/transport.ts';
import { type Driver, type Outcome, startDriver } from './driver.ts';
import { type ClientLanguage, clientLanguages } from './languages.ts';

/**
 * The tests of the interface through a client: `TEST_CLIENT=typescript npm test -- test/interface`, or python, or php. A call that the
 * client can express is made by it, and what it resolves to, or rejects with, is held against the answer. Calls that no client makes (a
 * malformed body, no key, another path) go out as they are. The run ends with the numbers of both.
 */
interface Request {
  method: string;
  headers: Record<string, string>;
  body?: string | Uint8Array;
}

interface Expressed {
  id: keyof Operations;
  path: Record<string, string>;
  query: Record<string, string>;
  body: unknown;
  apiKey: string;
  idempotencyKey: string | undefined;
}

const { TEST_CLIENT = 'typescript', TEST_CLIENT_CALLS } = process.env;
const language = clientLanguages.find(({ name }) => name.toLowerCase() === TEST_CLIENT);
if (language === undefined && TEST_CLIENT !== 'typescript')
  throw new Error(`there is no client for ${TEST_CLIENT}`);
if (language?.isThere === false) throw new Error(language.missing);
const counts = { byClient: 0, byHand: 0 };

/** Written at every call: a worker of the test runner may end without a word. */
function count(kind: keyof typeof counts): void {
  counts[kind] += 1;
  if (TEST_CLIENT_CALLS !== undefined)
    writeFileSync(join(TEST_CLIENT_CALLS, `${process.pid}.json`), JSON.stringify(counts));
}

export async function fetchThroughClient(url: string, request: Request): Promise<Response> {
  const { origin } = new URL(url);
  const asked = expressed(url.slice(origin.length), request);
  const answer =
    asked && (await (language ? throughDriver(language, origin, asked) : callOnce(origin, asked)));
  count(answer === null ? 'byHand' : 'byClient');
  return answer ?? fetch(url, request);
}

let driver: Driver | null = null;

/** Null: the client refused the call, since it checks keys first. */
async function throughDriver(
  language: ClientLanguage,
  origin: string,
  asked: Expressed,
): Promise<Response | null> {
  driver ??= startDriver(language);
  const outcome = await driver.run({
    base_url: origin,
    api_key: asked.apiKey,
    options: { max_retries: 0, attempt_seconds: 60 },
    operation: snake(asked.id),
    kwargs: { path: asked.path, query: asked.query, body: asked.body, idempotency_key: asked.idempotencyKey },
  });
  const [answer] = outcome.answers;
  if (answer === undefined && outcome.error?.name === 'ValueError') return null;
  if (answer === undefined) throw new Error(`${language.name}: ${outcome.error?.message}`);
  const { status, headers, body } = answer;
  const response = new Response(body === '' ? null : body, { status, headers });
  await compareDriven(response, outcome, language);
  return response;
}

async function compareDriven(
  response: Response,
  { result, error }: Outcome,
  language: ClientLanguage,
): Promise<void> {
  const text = await response.clone().text();
  const body: unknown = text === '' ? null : JSON.parse(text, language.reviver);
  if (response.ok && isDeepStrictEqual(result, body)) return;
  const { error_code, detail = null }: { error_code?: unknown; detail?: unknown } = Object(body);
  const told = [error?.status, error?.code, error?.request_id, error?.detail];
  if (!isDeepStrictEqual(told, [response.status, error_code, response.headers.get('x-request-id'), detail]))
    throw new Error(`The client told ${error?.printed} of ${response.status} ${text}`);
}

const snake = (id: string): string => id.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** One attempt: what the tests ask for is the first answer. Null: the client refused the call. */
async function callOnce(origin: string, asked: Expressed): Promise<Response | null> {
  let answer: Response | null = null;
  const send = createSend({
    baseUrl: origin,
    fetch: async (url, init): Promise<FetchResponse> => {
      const response = await fetch(url, init);
      answer = response.clone();
      return response;
    },
    deadlineMs: 60_000,
    attemptTimeoutMs: 60_000,
    maxRetries: Number.POSITIVE_INFINITY,
    onRetry: () => {},
    time: { now: () => 0, random: () => 0, sleep: () => Promise.reject(new Error('It would be repeated.')) },
  });
  const { id, path, query, body, apiKey, idempotencyKey } = asked;
  const input = { operation: id, path: Object(path), query, body: Object(body), options: { idempotencyKey } };
  const call = createCall(send, apiKey)(id, body === undefined ? { ...input, body: undefined } : input);
  const outcome: unknown = await call.catch((error: unknown) => error);
  const response: Response | null = answer;
  if (response === null && outcome instanceof TypeError) return null;
  if (response === null) throw outcome;
  await compare(response, outcome);
  return response;
}

/** The client must tell what the server told. */
async function compare(response: Response, outcome: unknown): Promise<void> {
  const text = await response.clone().text();
  const body: unknown = text === '' ? undefined : JSON.parse(text);
  if (response.ok && isDeepStrictEqual(outcome, body)) return;
  const { error_code, detail }: { error_code?: unknown; detail?: unknown } = Object(body);
  const isTold =
    outcome instanceof WaypostError &&
    outcome.status === response.status &&
    outcome.code === error_code &&
    outcome.requestId === response.headers.get('x-request-id') &&
    isDeepStrictEqual(outcome.detail, detail);
  const wouldRepeat = outcome instanceof Error && outcome.message === 'It would be repeated.';
  if (!isTold && !wouldRepeat)
    throw new Error(`The client told ${String(outcome)} of ${response.status} ${text}`);
}

/** The call as a program would make it with the client, or null if it could not. */
function expressed(path: string, request: Request): Expressed | null {
  const { method, headers, body } = request;
  const { authorization = '', 'content-type': type, 'idempotency-key': idempotencyKey, ...others } = headers;
  const apiKey = /^Bearer (.+)$/.exec(authorization)?.[1];
  if (apiKey === undefined || Object.keys(others).length > 0) return null;
  if (type !== undefined && type !== 'application/json') return null;
  const found = operationOf(method, path);
  const parsed = typeof body === 'string' ? jsonObject(body) : undefined;
  if (found === null || (body !== undefined && parsed === undefined)) return null;
  // The client always has a key where one is needed, and none where nothing is written.
  const isRead = method === 'GET' || found.id === 'previewPush';
  if (isRead ? idempotencyKey !== undefined : found.isKeyed && idempotencyKey === undefined) return null;
  return { ...found, body: parsed, apiKey, idempotencyKey };
}

function operationOf(method: string, path: string) {
  const [bare = '', search = ''] = path.split('?');
  for (const id of ids()) {
    const [wanted, template = '', keyed] = operations[id].split(' ');
    if (wanted !== method) continue;
    const values = valuesIn(template, bare);
    const query = Object.fromEntries(new URLSearchParams(search));
    if (values === null || filledPath(template, values) !== bare) continue;
    if (queryString(query) !== (search === '' ? '' : `?${search}`)) continue;
    return { id, path: values, query, isKeyed: keyed === 'key' };
  }
  return null;
}

/** Literal paths first: `/messages/preview` is no message. */
const ids = (): (keyof Operations)[] => {
  const all: (keyof Operations)[] = Object.keys(operations).filter(
    (id): id is keyof Operations => id in operations,
  );
  return all.sort(
    (one, other) => Number(operations[one].includes('{')) - Number(operations[other].includes('{')),
  );
};

function valuesIn(template: string, path: string): Record<string, string> | null {
  const [wanted, given] = [template.split('/'), path.split('/')];
  if (wanted.length !== given.length) return null;
  const values: Record<string, string> = {};
  for (const [index, part] of wanted.entries()) {
    const text = given[index] ?? '';
    if (!part.startsWith('{') && part !== text) return null;
    if (!part.startsWith('{')) continue;
    try {
      values[part.slice(1, -1)] = decodeURIComponent(text);
    } catch {
      return null;
    }
    if (/^\.{0,2}$/.test(text)) return null;
  }
  return values;
}

/** Undefined if the client would write it in another way. */
function jsonObject(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && JSON.stringify(value) === text ? value : undefined;
  } catch {
    return undefined;
  }
}
