import { connect, createServer, type Socket } from 'node:net';
import { listenOnFreePort } from '../support/freePort.ts';

/** The way to Waypost, which can be closed for a while: nothing listens there then. */
export interface WaypostGate {
  url: string;
  shut(): Promise<void>;
  open(): Promise<void>;
}

export async function openGate(target: string): Promise<WaypostGate> {
  const { hostname, port } = new URL(target);
  const sockets = new Set<Socket>();
  const server = createServer((near) => {
    const far = connect({ host: hostname, port: Number(port) });
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(one);
      one.on('error', () => other.destroy());
      one.on('close', () => {
        sockets.delete(one);
        other.destroy();
      });
      one.pipe(other);
    }
  });
  const gatePort = await listenOnFreePort(server);
  return {
    url: `http://127.0.0.1:${gatePort}`,
    shut: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
    open: () => new Promise((resolve) => server.listen(gatePort, '127.0.0.1', resolve)),
  };
}
