import type { ChildProcess } from 'node:child_process';
import { lookup } from 'node:dns/promises';
import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { HTTP_LIMITS } from '../api/limits.ts';
import { SECOND } from '../kit/clock.ts';
import { explainListenError } from './listening.ts';
import type { ToProcess } from './processMessages.ts';

/** The port of several processes. The supervisor accepts connections and passes each to the next process that is free. */
export interface SharedPort {
  /** From now on the process is passed connections, one at a time. */
  join(child: ChildProcess): void;
  /** The process has the connection that it was passed. */
  taken(child: ChildProcess): void;
  leave(child: ChildProcess): void;
  close(): void;
}

/** While no process is free, as many connections wait as one process serves, and none for longer than this. */
const WAITING_MAX = HTTP_LIMITS.connections;
const WAIT_MS = 30 * SECOND;

const CONNECTION: ToProcess = { kind: 'connection' };

export async function openSharedPort(host: string, port: number): Promise<SharedPort> {
  /** The one that has not been passed a connection for the longest time comes first. */
  const free = new Set<ChildProcess>();
  const waiting = new Set<Socket>();
  /** On their way to a process. */
  const passing = new Map<ChildProcess, Socket>();

  const passOn = (): void => {
    const [child] = free;
    const [socket] = waiting;
    if (child === undefined || socket === undefined) return;
    free.delete(child);
    waiting.delete(socket);
    socket.setTimeout(0);
    passing.set(child, socket);
    // Kept open here: Node forgets a connection whose process ends before it has it, and nobody would ever close it.
    child.send(CONNECTION, socket, { keepOpen: true }, () => {});
  };
  /** Closes our copy of the connection that was on its way. It stays open if the process has its own. */
  const letGo = (child: ChildProcess): void => {
    passing.get(child)?.destroy();
    passing.delete(child);
  };
  const accept = (socket: Socket): void => {
    socket.on('error', () => {});
    if (waiting.size >= WAITING_MAX) {
      socket.destroy();
      return;
    }
    waiting.add(socket);
    socket.setTimeout(WAIT_MS, () => {
      waiting.delete(socket);
      socket.destroy();
    });
    passOn();
  };

  const servers = await listen(host, port, accept);
  const join = (child: ChildProcess): void => {
    free.add(child);
    passOn();
  };
  return {
    join,
    taken(child) {
      if (!passing.has(child)) return;
      letGo(child);
      join(child);
    },
    leave(child) {
      free.delete(child);
      // Not passed on to another process: this one may have read from it.
      letGo(child);
    },
    close() {
      for (const server of servers) server.close();
      for (const socket of waiting) socket.destroy();
      waiting.clear();
    },
  };
}

/** As Fastify does: `localhost` is every address of that name, and the first must be free. */
async function listen(host: string, port: number, accept: (socket: Socket) => void): Promise<Server[]> {
  try {
    const found = host === 'localhost' ? await lookup(host, { all: true }) : [{ address: host }];
    const [first = host, ...others] = new Set(found.map(({ address }) => address));
    const servers = [await listenOn(first)];
    for (const address of others) {
      const server = await listenOn(address).catch(() => null);
      if (server !== null) servers.push(server);
    }
    return servers;
  } catch (error) {
    throw explainListenError(error, host, port);
  }

  async function listenOn(address: string): Promise<Server> {
    const server = createServer({ pauseOnConnect: true, noDelay: true }, accept);
    server.listen(port, address);
    await once(server, 'listening');
    // A connection that could not be accepted is no reason to end.
    server.on('error', () => {});
    return server;
  }
}
