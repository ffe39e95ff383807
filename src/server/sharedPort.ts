import type { ChildProcess } from 'node:child_process';
import { lookup } from 'node:dns/promises';
import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { HTTP_LIMITS } from '../api/limits.ts';
import { SECOND } from '../kit/clock.ts';
import { explainListenError } from './listening.ts';
import type { ToProcess } from './processMessages.ts';

/** While no process is free, as many connections wait as one process serves, and none for longer than this. */
const WAITING_MAX = HTTP_LIMITS.connections;
const WAIT_MS = 30 * SECOND;

const CONNECTION: ToProcess = { kind: 'connection' };

/** The port of several processes. The supervisor accepts connections and passes each to the next process that is free. */
export class SharedPort {
  #servers: Server[] = [];
  /** The one that has not been passed a connection for the longest time comes first. */
  readonly #free = new Set<ChildProcess>();
  readonly #waiting = new Set<Socket>();
  /** On their way to a process. */
  readonly #passing = new Map<ChildProcess, Socket>();

  static async open(host: string, port: number): Promise<SharedPort> {
    const shared = new SharedPort();
    shared.#servers = await listen(host, port, (socket) => shared.#accept(socket));
    return shared;
  }

  /** From now on the process is passed connections, one at a time. */
  join(child: ChildProcess): void {
    this.#free.add(child);
    this.#passOn();
  }

  /** The process has the connection that it was passed. */
  taken(child: ChildProcess): void {
    if (!this.#passing.has(child)) return;
    this.#release(child);
    this.join(child);
  }

  leave(child: ChildProcess): void {
    this.#free.delete(child);
    // Not passed on to another process: this one may have read from it.
    this.#release(child);
  }

  close(): void {
    for (const server of this.#servers) server.close();
    for (const socket of this.#waiting) socket.destroy();
    this.#waiting.clear();
  }

  #accept(socket: Socket): void {
    socket.on('error', () => {});
    if (this.#waiting.size >= WAITING_MAX) {
      socket.destroy();
      return;
    }
    this.#waiting.add(socket);
    socket.setTimeout(WAIT_MS, () => {
      this.#waiting.delete(socket);
      socket.destroy();
    });
    this.#passOn();
  }

  #passOn(): void {
    const [child] = this.#free;
    const [socket] = this.#waiting;
    if (child === undefined || socket === undefined) return;
    this.#free.delete(child);
    this.#waiting.delete(socket);
    socket.setTimeout(0);
    this.#passing.set(child, socket);
    // Kept open here: Node forgets a connection whose process ends before it has it, and nobody would ever close it.
    child.send(CONNECTION, socket, { keepOpen: true }, () => {});
  }

  /** Closes our copy of the connection that was on its way. It stays open if the process has its own. */
  #release(child: ChildProcess): void {
    this.#passing.get(child)?.destroy();
    this.#passing.delete(child);
  }
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
