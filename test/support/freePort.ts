import type { Server } from 'node:net';

/** Listens on a free port of loopback, and answers the port. `::` takes IPv4 as well as IPv6. */
export function listenOnFreePort(server: Server, host = '127.0.0.1'): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, host, () => {
      const address = server.address();
      if (address !== null && typeof address === 'object') resolve(address.port);
      else reject(new Error('the server has no port'));
    });
  });
}
