import { randomUUID } from 'node:crypto';
import type { PushResult } from '../../src/contract/push.ts';
import type { Fault } from '../../src/kit/errors.ts';
import { fetchThroughClient } from '../client/throughClient.ts';
import { schemaViolations } from './conformance.ts';

/** What came back, as a merchant's program sees it. */
export interface ApiResponse {
  status: number;
  headers: Headers;
  text: string;
  /** The parsed body; null when there is none. */
  body: unknown;
}

export interface CallOptions {
  body?: unknown;
  /** Sent as it is, instead of `body`. */
  raw?: string | Uint8Array;
  key?: string | null;
  idempotencyKey?: string;
  headers?: Record<string, string>;
}

/** TEST_CLIENT=typescript, python or php: every call that this client can make goes through it. */
const send = process.env.TEST_CLIENT === undefined ? fetch : fetchThroughClient;

/**
 * A merchant's program: knows the address and its key, and nothing of the inside. Every answer of the interface is held
 * against the OpenAPI document that the service serves; one that it does not describe fails the test that got it.
 */
export class Shop {
  readonly url: string;
  readonly businessId: string;
  readonly apiKey: string;

  constructor(url: string, businessId: string, apiKey: string) {
    this.url = url;
    this.businessId = businessId;
    this.apiKey = apiKey;
  }

  async call(method: string, path: string, options: CallOptions = {}): Promise<ApiResponse> {
    const { body, raw, key = this.apiKey, idempotencyKey, headers = {} } = options;
    const content = raw ?? (body === undefined ? undefined : JSON.stringify(body));
    const response = await send(this.url + path, {
      method,
      headers: {
        ...(key !== null && { authorization: `Bearer ${key}` }),
        ...(content !== undefined && { 'content-type': 'application/json' }),
        ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
        ...headers,
      },
      ...(content !== undefined && { body: content }),
    });
    const text = await response.text();
    const { status } = response;
    const header = (name: string) => response.headers.get(name);
    const wrong = await schemaViolations(this.url, { method, path }, { status, header, text });
    if (wrong.length > 0)
      throw new Error(
        `${method} ${path} answered ${status} against the document: ${wrong.join('; ')}\n${text}`,
      );
    return { status, headers: response.headers, text, body: parsed(text) };
  }

  /** A push of a plausible order update, changed as the test says. */
  push(change: Record<string, unknown> = {}, idempotencyKey: string = randomUUID()): Promise<ApiResponse> {
    return this.call('POST', '/api/v1/messages', { body: { ...ORDER_UPDATE, ...change }, idempotencyKey });
  }

  /** The result of a push that is expected to be accepted. */
  async pushed(
    change: Record<string, unknown> = {},
    idempotencyKey: string = randomUUID(),
  ): Promise<PushResult> {
    return expectStatus(201, await this.push(change, idempotencyKey));
  }

  /** A batch of plausible order updates, each changed as the test says; what is no object is sent as it is. */
  batch(items: readonly unknown[], idempotencyKey: string = randomUUID()): Promise<ApiResponse> {
    const body = { items: items.map((item) => (isObject(item) ? { ...ORDER_UPDATE, ...item } : item)) };
    return this.call('POST', '/api/v1/messages/batch', { body, idempotencyKey });
  }

  post(path: string, idempotencyKey: string = randomUUID()): Promise<ApiResponse> {
    return this.call('POST', path, { idempotencyKey });
  }

  put(path: string, body: unknown): Promise<ApiResponse> {
    return this.call('PUT', path, { body });
  }

  get(path: string): Promise<ApiResponse> {
    return this.call('GET', path);
  }

  delete(path: string): Promise<ApiResponse> {
    return this.call('DELETE', path);
  }

  /** The same business with another of its keys. */
  with(apiKey: string): Shop {
    return new Shop(this.url, this.businessId, apiKey);
  }
}

export const ORDER_UPDATE = {
  recipient_email: 'ann@example.com',
  subject: 'Your order #1001 has shipped',
  body: 'It left our warehouse this morning.',
};

/** The parsed body of an answer that has this status; any other fails with what came instead. */
export function expectStatus<T>(status: number, answer: ApiResponse): T {
  if (answer.status !== status)
    throw new Error(`expected ${status}, but it is ${answer.status}: ${answer.text}`);
  const body: T = JSON.parse(answer.text);
  return body;
}

/** `201`, or `409 idempotency.key_reused`: what a program branches on. */
export function statusAndCode({ status, text }: ApiResponse): string {
  if (status < 400) return String(status);
  const { error_code }: { error_code: string } = JSON.parse(text);
  return `${status} ${error_code}`;
}

/** The entries of a validation failure. */
export function validationErrorsOf(answer: ApiResponse): Fault[] {
  const { error_code, detail } = expectStatus<{ error_code: string; detail: Fault[] }>(422, answer);
  if (error_code !== 'common.validation_failed') throw new Error(`expected faults, but it is ${error_code}`);
  return detail;
}

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function parsed(text: string): unknown {
  try {
    return text === '' ? null : JSON.parse(text);
  } catch {
    return text;
  }
}
