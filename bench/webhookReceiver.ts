import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

export interface BenchReceiver {
  port: number;
  /** Resolves when the next request has arrived. */
  nextArrival(): Promise<void>;
  stop(): Promise<unknown>;
}

/** Reads what it is sent and answers 204; says so when asked to. In plain JavaScript: a thread begins without a compiler. */
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

/** A receiver in a thread of its own, so that it and the sender do not take turns. */
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
