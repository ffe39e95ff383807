import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { sourceOf } from '../kit/clientAddress.ts';
import { monotonicMs } from '../kit/clock.ts';
import { type ConnectionFacts, isOverdue, isSpare, phaseOf } from './connectionPhase.ts';
import type { HttpLimits } from './limits.ts';

interface Connection extends ConnectionFacts {
  readonly socket: Socket;
  /** Null for a trusted proxy, whose connections are not limited by address. */
  readonly source: string | null;
  readonly onGone: Set<() => void>;
}

interface Options {
  limits: HttpLimits;
  isTrustedProxy: (address: string) => boolean;
  /** A connection was refused or closed because of a limit. */
  onLimit: (limit: 'connections' | 'connections_per_address') => void;
}

/** Limits the connections, in all and per address, and the time of each without a request in progress. */
export class Connections {
  readonly #options: Options;
  readonly #connections = new Map<Socket, Connection>();
  readonly #perSource = new Map<string, number>();
  #onAllClosed = (): void => {};

  constructor(server: Server, options: Options) {
    this.#options = options;
    server.on('connection', (socket: Socket) => this.#accept(socket));
    server.on('request', (request: IncomingMessage, response: ServerResponse) => {
      const connection = this.#connections.get(request.socket);
      if (!connection) return;
      connection.request = request;
      connection.response = response;
      connection.phase = 'working';
    });
    const timer = setInterval(() => this.#closeOverdue(), options.limits.checkEveryMs).unref();
    server.once('close', () => clearInterval(timer));
  }

  get open(): number {
    return this.#connections.size;
  }

  /** Ends our side with these bytes. The connection is destroyed soon after, whatever the peer does. */
  closeWith(socket: Socket, lastBytes: string): void {
    const connection = this.#connections.get(socket);
    if (connection?.closing) return;
    if (connection && socket.writable) {
      connection.closing = true;
      socket.end(lastBytes);
    } else socket.destroy();
  }

  /** Whether a response to the latest request has begun: then nothing else may be written. */
  hasAnswered(socket: Socket): boolean {
    const connection = this.#connections.get(socket);
    return connection?.response?.headersSent === true && phaseOf(connection) !== 'idle';
  }

  /** Whether no other request has come after this one on its connection. */
  isLatest(request: IncomingMessage): boolean {
    return this.#connections.get(request.socket)?.request === request;
  }

  /** Calls `gone` once the connection has closed. One listener per socket serves all of them. */
  onGone(socket: Socket, gone: () => void): () => void {
    const connection = this.#connections.get(socket);
    connection?.onGone.add(gone);
    return () => connection?.onGone.delete(gone);
  }

  /** Resolves once none is open. */
  allClosed(): Promise<void> {
    return new Promise((resolve) => {
      this.#onAllClosed = resolve;
      if (this.open === 0) resolve();
    });
  }

  #accept(socket: Socket): void {
    const { limits, isTrustedProxy, onLimit } = this.#options;
    const address = socket.remoteAddress ?? '';
    const source = isTrustedProxy(address) ? null : sourceOf(address);
    const fromSource = source === null ? 0 : (this.#perSource.get(source) ?? 0);
    if (fromSource >= limits.connectionsPerAddress) {
      onLimit('connections_per_address');
      socket.destroy();
      return;
    }
    if (this.open >= limits.connections) {
      onLimit('connections');
      if (!this.#closeSpare()) {
        socket.destroy();
        return;
      }
    }
    if (source !== null) this.#perSource.set(source, fromSource + 1);
    const connection: Connection = {
      socket,
      source,
      onGone: new Set(),
      phase: 'opening',
      since: monotonicMs(),
      bytesBefore: 0,
      closing: false,
      request: null,
      response: null,
    };
    this.#connections.set(socket, connection);
    socket.once('close', () => this.#forget(connection));
  }

  /** A new connection is worth more than the oldest one without a request in progress. False if there is none. */
  #closeSpare(): boolean {
    for (const connection of this.#connections.values()) {
      if (!isSpare(phaseOf(connection))) continue;
      this.#forget(connection);
      connection.socket.destroy();
      return true;
    }
    return false;
  }

  #forget({ socket, source, onGone }: Connection): void {
    if (!this.#connections.delete(socket)) return;
    if (this.open === 0) this.#onAllClosed();
    for (const gone of onGone) gone();
    if (source === null) return;
    const left = (this.#perSource.get(source) ?? 1) - 1;
    if (left === 0) this.#perSource.delete(source);
    else this.#perSource.set(source, left);
  }

  #closeOverdue(): void {
    const now = monotonicMs();
    for (const connection of this.#connections.values()) {
      const { socket } = connection;
      const phase = phaseOf(connection);
      const forMs = now - connection.since;
      const bytes = socket.bytesRead - connection.bytesBefore;
      if (phase !== connection.phase) {
        connection.phase = phase;
        connection.since = now;
        connection.bytesBefore = socket.bytesRead;
      } else if (isOverdue(this.#options.limits, { phase, forMs, bytes })) socket.destroy();
    }
  }
}
