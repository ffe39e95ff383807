import { createServer, request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { listenOnFreePort } from '../support/freePort.ts';

/** Every way in which a call fails for a while. `after`: the service behind took it, and its answer is lost. */
export const serverFaults = [
  'reset before',
  'reset after',
  'hang before',
  'hang after',
  'half an answer',
  '503',
  '429',
  '500',
  '502 of a proxy',
] as const;
export type ServerFault = (typeof serverFaults)[number];

export interface FaultyServer {
  url: string;
  /** What arrived, in order. */
  requests: { method: string; path: string; idempotencyKey: string | undefined; fault: ServerFault | null }[];
  close(): Promise<void>;
}

export interface FaultyServerOptions {
  /** Where requests without a fault before it go. */
  target: string;
  /** The fault of the next request; null passes it on. */
  nextFault(request: IncomingMessage): ServerFault | null;
  retryAfter?: string;
}

/** A proxy that fails as it is told. */
export async function startFaultyServer(options: FaultyServerOptions): Promise<FaultyServer> {
  const { target, nextFault, retryAfter = '1' } = options;
  const requests: FaultyServer['requests'] = [];
  const sockets = new Set<Socket>();
  const server = createServer(async (request, response) => {
    const body = await buffer(request);
    const fault = nextFault(request);
    const key = request.headers['idempotency-key'];
    requests.push({
      method: request.method ?? '',
      path: request.url ?? '',
      idempotencyKey: typeof key === 'string' ? key : undefined,
      fault,
    });
    if (fault === 'reset before') request.socket.resetAndDestroy();
    else if (fault === '503') refuse(response, 503, 'common.unavailable', retryAfter);
    else if (fault === '429') refuse(response, 429, 'common.rate_limited', retryAfter);
    else if (fault === '500') refuse(response, 500, 'common.internal');
    else if (fault === '502 of a proxy') response.writeHead(502).end('<h1>Bad gateway</h1>');
    else if (fault !== 'hang before') await passOn(target, request, body, response, fault);
  });
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => {});
  });
  const port = await listenOnFreePort(server);
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function refuse(response: ServerResponse, status: number, code: string, retryAfter?: string): void {
  response
    .writeHead(status, {
      'content-type': 'application/json; charset=utf-8',
      'x-request-id': 'of-the-proxy',
      ...(retryAfter !== undefined && { 'retry-after': retryAfter }),
    })
    .end(JSON.stringify({ error_code: code, detail: 'Not now.' }));
}

async function passOn(
  target: string,
  { method, url, headers }: IncomingMessage,
  body: Buffer,
  response: ServerResponse,
  fault: ServerFault | null,
): Promise<void> {
  const behind = httpRequest(target + url, { method, headers, agent: false });
  const answer = await new Promise<IncomingMessage>((resolve, reject) =>
    behind.once('response', resolve).once('error', reject).end(body),
  );
  const answered = await buffer(answer);
  if (fault === 'hang after') return;
  if (fault === 'reset after') return void response.socket?.resetAndDestroy();
  response.writeHead(answer.statusCode ?? 500, answer.headers);
  if (fault !== 'half an answer') return void response.end(answered);
  response.write(answered.subarray(0, answered.length / 2), () => response.socket?.destroy());
}
