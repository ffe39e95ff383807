import { createServer as createHttpServer, type RequestListener } from 'node:http';
import { createServer as createTcpServer, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';
import { createGuardedClient } from '../../src/webhooks/guardedClient.ts';
import { postWebhook, type WebhookAnswer } from '../../src/webhooks/post.ts';
import { createAllowList } from '../../src/webhooks/publicAddress.ts';
import { type Listening, startLoopbackServer } from './loopback.ts';

export interface PostOptions {
  scheme?: 'http' | 'https';
  path?: string;
  headers?: Record<string, string>;
  body?: string;
  /** Null leaves it to postWebhook. */
  timeoutMs?: number | null;
}

export type PostWebhook = (ask?: PostOptions) => Promise<WebhookAnswer>;

/** Posts to the first of these ports of loopback through one guarded client that has all of them on its allow-list. */
export function poster(ports: [number, ...number[]]): PostWebhook {
  const allowHosts = createAllowList(ports.map((port) => `127.0.0.1:${port}`));
  const client = createGuardedClient({ resolve: () => Promise.resolve([]), allowHosts });
  onTestFinished(() => client.destroy());
  return ({ scheme = 'http', path = '/', headers = {}, body = '{}', timeoutMs = 5_000 } = {}) => {
    const call = { url: `${scheme}://127.0.0.1:${ports[0]}${path}`, headers, body };
    return postWebhook(client, timeoutMs === null ? call : { ...call, timeoutMs });
  };
}

/** A merchant's server, and a way to post to it. */
export async function httpReceiver(
  behave: RequestListener,
  alsoAllowed: number[] = [],
): Promise<Listening & { post: PostWebhook }> {
  const listening = await startLoopbackServer(createHttpServer(behave));
  return { ...listening, post: poster([listening.port, ...alsoAllowed]) };
}

/** The same, where the server misbehaves below HTTP. It reads what it is sent, so that it notices the end. */
export async function tcpReceiver(
  behave: (socket: Socket) => void,
): Promise<Listening & { post: PostWebhook }> {
  const listening = await startLoopbackServer(createTcpServer((socket) => behave(socket.resume())));
  return { ...listening, post: poster([listening.port]) };
}

export function pauseFor(socket: Socket, milliseconds: number): void {
  socket.pause();
  setTimeout(() => socket.resume(), milliseconds);
}

/** Writes `first`, and then `more` again and again until the other side has had enough. */
export function repeat(socket: Socket, first: string, more: string, everyMs: number): void {
  socket.write(first);
  const timer = setInterval(() => socket.write(more), everyMs);
  socket.on('close', () => clearInterval(timer));
}
