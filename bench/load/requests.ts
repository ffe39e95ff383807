import { randomBytes } from 'node:crypto';

/** What is asked of a server, over and over. Plain data, since it crosses into the generator's process. */
export type LoadRequest =
  | { kind: 'push'; path: string; apiKey: string; recipients: number }
  | { kind: 'batch'; path: string; apiKey: string; recipients: number; items: number }
  | { kind: 'replay'; path: string; apiKey: string; recipients: number; keys: number }
  | { kind: 'get'; apiKey: string; paths: string[] };

/** What every push of the benchmark says, whoever takes it: about 300 bytes, as an order update has. */
export const SAMPLE_PUSH = {
  subject: 'Your order #10001 is on its way',
  body: 'Good news: it left our warehouse this morning and should be with you by Thursday. Follow it at https://example.com/orders/10001.',
  reference: '#10001',
  order_status: 'shipped',
} as const;

export const recipientEmail = (number: number): string => `person${number}@example.com`;

/** A function that writes the next request, ready for the socket. */
export function requestWriter(asked: LoadRequest): () => string {
  switch (asked.kind) {
    case 'push':
      return () => post(asked, newKey(), pushBody(asked.recipients));
    case 'batch':
      return () =>
        post(
          asked,
          newKey(),
          `{"items":[${Array.from({ length: asked.items }, () => pushBody(asked.recipients)).join(',')}]}`,
        );
    case 'replay': {
      const spent = Array.from({ length: asked.keys }, () =>
        post(asked, newKey(), pushBody(asked.recipients)),
      );
      return inTurn(spent);
    }
    case 'get':
      return inTurn(
        asked.paths.map(
          (path) =>
            `GET ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer ${asked.apiKey}\r\n\r\n`,
        ),
      );
  }
}

function inTurn(requests: readonly string[]): () => string {
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
