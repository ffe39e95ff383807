import { once } from 'node:events';
import { connect, createServer, type NetConnectOpts, type Server, type Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { atEnd } from '../bench/cleanup.ts';
import { freePort } from '../test/support/freePort.ts';
import type { SeededRandom } from '../test/support/seededRandom.ts';

/** A TCP proxy that can reset and refuse connections: every connection of the run goes through one. */
export interface FaultProxy {
  readonly name: string;
  readonly port: number;
  /** Resets this share of the open connections, even in the middle of a request. */
  cut(part: number): void;
  /** Refuses new connections, or takes them again. Open ones stay. */
  refuse(isRefusing: boolean): Promise<void>;
  /** How many connections were reset. */
  readonly counts: { cut: number };
}

/** `target` leads to where the next connection goes; null resets the connection. */
export async function openFaultProxy(
  name: string,
  target: () => NetConnectOpts | null,
  chance: SeededRandom,
): Promise<FaultProxy> {
  const open = new Set<readonly [Socket, Socket]>();
  const counts = { cut: 0 };
  // No Nagle delay: the proxy must not slow down what it forwards.
  const server = createServer({ allowHalfOpen: true, noDelay: true }, (near) => {
    const there = target();
    if (there === null) return void near.resetAndDestroy();
    const far = connect({ ...there, allowHalfOpen: true, noDelay: true });
    const pair = [near, far] as const;
    open.add(pair);
    for (const [one, other] of [pair, [far, near] as const]) {
      one.on('error', () => other.destroy());
      one.on('close', () => {
        other.destroy();
        open.delete(pair);
      });
      one.pipe(other);
    }
  });
  const port = await listenUntilEnd(server);
  return {
    name,
    port,
    counts,
    cut(part) {
      for (const pair of [...open].filter(() => chance.happens(part))) {
        counts.cut += 1;
        for (const socket of pair) reset(socket);
      }
    },
    async refuse(isRefusing) {
      if (isRefusing === !server.listening) return;
      // Sockets are accepted just before this. One that waits to be accepted would be reset, and the outcome of its call unknown.
      await setImmediate();
      if (isRefusing) server.close();
      else await once(server.listen(port, LOOPBACK), 'listening');
    },
  };
}

/** A Unix socket cannot be reset. */
function reset(socket: Socket): void {
  if (socket.remoteAddress === undefined) socket.destroy();
  else socket.resetAndDestroy();
}

/** What stands before the API processes: connections go to these ports in turn. Without any, connections are reset. */
export async function openLoadBalancer(chance: SeededRandom): Promise<FaultProxy & { targets: number[] }> {
  const targets: number[] = [];
  let turn = 0;
  const next = () => {
    const port = targets[turn++ % targets.length];
    return port === undefined ? null : { host: '127.0.0.1', port };
  };
  return { ...(await openFaultProxy('clients', next, chance)), targets };
}

const LOOPBACK = '127.0.0.1';

/**
 * Listens on a free port of loopback until the scenario ends, and answers the port, which stays its own while it does not listen.
 * Errors of connections are expected.
 */
export async function listenUntilEnd(server: Server): Promise<number> {
  const open = new Set<Socket>();
  server.on('connection', (socket) => {
    open.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => open.delete(socket));
  });
  atEnd(() => {
    server.close();
    for (const socket of open) socket.destroy();
  });
  const port = await freePort();
  await once(server.listen(port, LOOPBACK), 'listening');
  return port;
}
