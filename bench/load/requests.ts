import { randomBytes } from 'node:crypto';

/** The repeated request of a load. Plain data, since it is sent to the generator's process. */
export type LoadRequest =
  | { kind: 'push'; path: string; apiKey: string; recipients: number }
  /** The same by many shops, in turn. */
  | { kind: 'shops'; path: string; apiKeys: string[]; recipients: number }
  | { kind: 'batch'; path: string; apiKey: string; recipients: number; items: number }
  | { kind: 'replay'; path: string; apiKey: string; recipients: number; keys: number }
  | { kind: 'get'; apiKey: string; paths: string[] }
  /** Whole requests, as a browser sends them, in turn. */
  | { kind: 'browse'; requests: string[] };

/** The content of every push of the benchmark: about 300 bytes, like a typical order update. */
export const SAMPLE_PUSH = {
  subject: 'Your order #10001 is on its way',
  body: 'Good news: it left our warehouse this morning and should be with you by Thursday. Follow it at https://example.com/orders/10001.',
  reference: '#10001',
  order_status: 'shipped',
} as const;

export const recipientEmail = (number: number): string => `person${number}@example.com`;

/** Returns a function that gives the bytes of the next request. */
export function requestWriter(load: LoadRequest): () => string {
  switch (load.kind) {
    case 'push':
      return () => post(load, newKey(), pushBody(load.recipients));
    case 'shops': {
      const nextKey = roundRobin(load.apiKeys);
      return () => post({ path: load.path, apiKey: nextKey() }, newKey(), pushBody(load.recipients));
    }
    case 'batch':
      return () =>
        post(
          load,
          newKey(),
          `{"items":[${Array.from({ length: load.items }, () => pushBody(load.recipients)).join(',')}]}`,
        );
    case 'replay': {
      const replayed = Array.from({ length: load.keys }, () =>
        post(load, newKey(), pushBody(load.recipients)),
      );
      return roundRobin(replayed);
    }
    case 'browse':
      return roundRobin(load.requests);
    case 'get':
      return roundRobin(
        load.paths.map(
          (path) => `GET ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer ${load.apiKey}\r\n\r\n`,
        ),
      );
  }
}

function roundRobin(requests: readonly string[]): () => string {
  let at = 0;
  return () => {
    at = (at + 1) % requests.length;
    return requests[at] ?? '';
  };
}

let keys = 0;
const RUN = randomBytes(6).toString('hex');
const newKey = (): string => {
  keys += 1;
  return `${RUN}-${process.pid}-${keys}`;
};

const REST = JSON.stringify(SAMPLE_PUSH).slice(1);

const pushBody = (recipients: number): string =>
  `{"recipient_email":"${recipientEmail(Math.floor(Math.random() * recipients))}",${REST}`;

/** The sample is ASCII, so its characters are its bytes. */
const post = ({ path, apiKey }: { path: string; apiKey: string }, key: string, body: string): string =>
  `POST ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer ${apiKey}\r\nidempotency-key: ${key}\r\n` +
  `content-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
