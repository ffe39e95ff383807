import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

export interface BenchReceiver {
  port: number;
  /** Resolves when the next request has arrived. */
  nextArrival(): Promise<void>;
  stop(): Promise<unknown>;
}

/** Answers 204, and reports the next arrival on request. Plain JavaScript, since the thread has no TypeScript loader. */
const PROGRAM = `
  const { createServer } = require('node:http');
  const { parentPort } = require('node:worker_threads');
  let asked = false;
  parentPort.on('message', () => { asked = true; });
  const server = createServer((request, response) => {
    request.on('data', () => {});
    request.on('end', () => {
      response.writeHead(204).end();
      if (asked) parentPort.postMessage('arrived');
      asked = false;
    });
  });
  server.listen(0, '127.0.0.1', () => parentPort.postMessage(server.address().port));`;

/** A receiver in its own thread, so that it does not share the sender's event loop. */
export async function startReceiver(): Promise<BenchReceiver> {
  const thread = new Worker(PROGRAM, { eval: true });
  const [port] = await once(thread, 'message');
  return {
    port: Number(port),
    async nextArrival() {
      const arrived = once(thread, 'message');
      thread.postMessage('ask');
      await arrived;
    },
    stop: () => thread.terminate(),
  };
}
