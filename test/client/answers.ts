import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import { inspect } from 'node:util';
import { type Time, WaypostError } from '../../clients/typescript/src/index.ts';
import { startLoopbackServer } from '../support/loopback.ts';

export const OK: RequestListener = (_request, response) => void response.writeHead(200).end('{"balance":1}');

/** A server that answers each request by the next of these, and then always by the last. */
export async function serverOf(...answers: [RequestListener, ...RequestListener[]]) {
  const requests: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    requests.push(request);
    request.resume();
    const answer = answers[Math.min(requests.length, answers.length) - 1];
    answer?.(request, response);
  });
  const { port } = await startLoopbackServer(server);
  return { url: `http://127.0.0.1:${port}`, requests };
}

export const answer =
  (status: number, body: unknown = {}, headers: Record<string, string> = {}): RequestListener =>
  (_request, response) =>
    void response.writeHead(status, headers).end(typeof body === 'string' ? body : JSON.stringify(body));
export const hang: RequestListener = () => {};

/** Time that passes only by sleeping. */
export function stillTime(): Time & { slept: number[] } {
  const slept: number[] = [];
  let now = 0;
  return {
    slept,
    now: () => now,
    random: () => 1,
    sleep: async (ms, signal) => {
      signal?.throwIfAborted();
      slept.push(ms);
      now += ms;
    },
  };
}

export const failureOf = async (promise: Promise<unknown>): Promise<WaypostError> => {
  const error = await promise.catch((one: unknown) => one);
  if (error instanceof WaypostError) return error;
  throw new Error(`expected a failure, but it is ${inspect(error)}`);
};
