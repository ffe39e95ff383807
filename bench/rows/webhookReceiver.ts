import { once } from 'node:events';
import { createServer } from 'node:http';
import { listenOnFreePort } from '../../test/support/freePort.ts';

/** A webhook receiver in its own process that answers 204. */
export default async function openReceiver() {
  let requests = 0;
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      response.writeHead(204).end();
      requests += 1;
      server.emit('arrival');
    });
  });
  const port = await listenOnFreePort(server);
  return {
    port: async () => port,
    requests: async () => requests,
    /** Resolves when this many have arrived. */
    async until(count: number): Promise<void> {
      while (requests < count) await once(server, 'arrival');
    },
  };
}
