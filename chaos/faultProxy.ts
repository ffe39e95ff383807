import { connect, createServer, type NetConnectOpts, type Socket } from 'node:net';
import { listenOnFreePort } from '../test/support/freePort.ts';
import type { SeededRandom } from './seededRandom.ts';

/** A TCP proxy that can reset connections: every connection of the run goes through one. */
export interface FaultProxy {
  readonly name: string;
  readonly port: number;
  /** Resets this share of the open connections (those to one target, if it is named), even in the middle of a request. */
  cut(part: number, to?: NetConnectOpts): void;
  /** Connections forwarded, and those that were reset. */
  readonly counts: { forwarded: number; cut: number };
  close(): void;
}

/** The target of the next connection; null resets the connection. */
export type ProxyTarget = () => NetConnectOpts | null;

export async function openFaultProxy(
  name: string,
  target: ProxyTarget,
  chance: SeededRandom,
): Promise<FaultProxy> {
  const open = new Map<readonly [Socket, Socket], NetConnectOpts>();
  const counts = { forwarded: 0, cut: 0 };
  // No Nagle delay: the proxy must not slow down what it forwards.
  const server = createServer({ allowHalfOpen: true, noDelay: true }, (near) => {
    const there = target();
    if (there === null) return void near.on('error', () => {}).resetAndDestroy();
    counts.forwarded += 1;
    const far = connect({ ...there, allowHalfOpen: true, noDelay: true });
    const pair = [near, far] as const;
    open.set(pair, there);
    for (const [one, other] of [pair, [far, near] as const]) {
      one.on('error', () => other.destroy());
      one.on('close', () => {
        other.destroy();
        open.delete(pair);
      });
      one.pipe(other);
    }
  });
  const port = await listenOnFreePort(server);
  return {
    name,
    port,
    counts,
    cut(part, to) {
      for (const [pair, target] of open) {
        if (to !== undefined && target !== to) continue;
        if (!chance.happens(part)) continue;
        counts.cut += 1;
        for (const socket of pair) reset(socket);
      }
    },
    close() {
      server.close();
      for (const pair of open.keys()) for (const socket of pair) socket.destroy();
    },
  };
}

/** A Unix socket cannot be reset. */
function reset(socket: Socket): void {
  if (socket.remoteAddress === undefined) socket.destroy();
  else socket.resetAndDestroy();
}
