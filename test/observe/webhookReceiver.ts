import { createServer, type IncomingHttpHeaders } from 'node:http';
import { listenOnFreePort } from '../support/freePort.ts';

/** A merchant's server for a whole test file. */
export interface WebhookReceiver {
  url: string;
  /** For WEBHOOK_ALLOW_HOSTS. */
  host: string;
  received: { headers: IncomingHttpHeaders; body: string }[];
  close(): void;
}

export async function startWebhookReceiver(path = '/hook'): Promise<WebhookReceiver> {
  const received: WebhookReceiver['received'] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (part: string) => {
      body += part;
    });
    request.on('end', () => {
      received.push({ headers: request.headers, body });
      response.end();
    });
  });
  const host = `127.0.0.1:${await listenOnFreePort(server)}`;
  return {
    url: `http://${host}${path}`,
    host,
    received,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}
