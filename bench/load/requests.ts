import { randomBytes } from 'node:crypto';

/** The repeated request of a load. Plain data, since it is sent to the generator's process. */
export type LoadRequest =
  /** Of these shops in turn. */
  | { kind: 'push'; path: string; apiKeys: string[]; recipients: number }
  | { kind: 'batch'; apiKey: string; recipients: number; items: number }
  | { kind: 'replay'; apiKey: string; recipients: number; keys: number }
  /** Whole requests, in turn. */
  | { kind: 'written'; requests: string[] };

/** The content of every push of the benchmark: about 300 bytes, like a typical order update. */
export const SAMPLE_PUSH = {
  subject: 'Your order #10001 is on its way',
  body: 'Good news: it left our warehouse this morning and should be with you by Thursday. Follow it at https://example.com/orders/10001.',
  reference: '#10001',
  order_status: 'shipped',
} as const;

export const PUSH_PATH = '/api/v1/messages';

export const recipientEmail = (number: number): string => `person${number}@example.com`;

/** Returns a function that gives the bytes of the next request. */
export function requestWriter(load: LoadRequest): () => string {
  switch (load.kind) {
    case 'push': {
      const nextKey = roundRobin(load.apiKeys);
      return () => post(load.path, nextKey(), pushBody(load.recipients));
    }
    case 'batch': {
      const items = () => Array.from({ length: load.items }, () => pushBody(load.recipients)).join(',');
      return () => post(`${PUSH_PATH}/batch`, load.apiKey, `{"items":[${items()}]}`);
    }
    case 'replay': {
      const push = () => post(PUSH_PATH, load.apiKey, pushBody(load.recipients));
      return roundRobin(Array.from({ length: load.keys }, push));
    }
    case 'written':
      return roundRobin(load.requests);
  }
}

function roundRobin(texts: readonly string[]): () => string {
  let at = 0;
  return () => {
    at = (at + 1) % texts.length;
    return texts[at] ?? '';
  };
}

let keys = 0;
const RUN = randomBytes(6).toString('hex');
const REST = JSON.stringify(SAMPLE_PUSH).slice(1);

const pushBody = (recipients: number): string =>
  `{"recipient_email":"${recipientEmail(Math.floor(Math.random() * recipients))}",${REST}`;

/** With a new key. The sample is ASCII, so its characters are its bytes. */
function post(path: string, apiKey: string, body: string): string {
  keys += 1;
  return (
    `POST ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer ${apiKey}\r\n` +
    `idempotency-key: ${RUN}-${process.pid}-${keys}\r\ncontent-type: application/json\r\n` +
    `content-length: ${body.length}\r\n\r\n${body}`
  );
}

/** `header` says who asks. */
export const getRequest = (path: string, header: string): string =>
  `GET ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\n${header}\r\n\r\n`;
