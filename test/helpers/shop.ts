import { randomUUID } from 'node:crypto';

/** What came back, as a merchant's program sees it. */
export interface Answer {
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

/** A merchant's program: knows the address and its key, and nothing of the inside. */
export class Shop {
  readonly url: string;
  readonly businessId: string;
  readonly apiKey: string;

  constructor(url: string, businessId: string, apiKey: string) {
    this.url = url;
    this.businessId = businessId;
    this.apiKey = apiKey;
  }

  async call(method: string, path: string, options: CallOptions = {}): Promise<Answer> {
    const { body, raw, key = this.apiKey, idempotencyKey, headers = {} } = options;
    const content = raw ?? (body === undefined ? undefined : JSON.stringify(body));
    const response = await fetch(this.url + path, {
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
    return { status: response.status, headers: response.headers, text, body: parsed(text) };
  }

  /** A push of a plausible order update, changed as the test says. */
  push(change: Record<string, unknown> = {}, idempotencyKey: string = randomUUID()): Promise<Answer> {
    return this.call('POST', '/api/v1/messages', { body: { ...ORDER_UPDATE, ...change }, idempotencyKey });
  }

  post(path: string, idempotencyKey: string = randomUUID()): Promise<Answer> {
    return this.call('POST', path, { idempotencyKey });
  }

  get(path: string): Promise<Answer> {
    return this.call('GET', path);
  }
}

export const ORDER_UPDATE = {
  recipient_email: 'ann@example.com',
  subject: 'Your order #1001 has shipped',
  body: 'It left our warehouse this morning.',
};

function parsed(text: string): unknown {
  try {
    return text === '' ? null : JSON.parse(text);
  } catch {
    return text;
  }
}
