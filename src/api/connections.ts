import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { sourceOf } from '../kit/clientAddress.ts';
import { monotonicMs } from '../kit/clock.ts';
import { type ConnectionFacts, isOverdue, isSpare, phaseOf } from './connectionPhase.ts';
import type { HttpLimits } from './limits.ts';

export interface Connections {
  /** Ends our side with these bytes. The connection is destroyed soon after, whatever the peer does. */
  closeWith(socket: Socket, lastBytes: string): void;
  /** Whether a response to the latest request has begun: then nothing else may be written. */
  hasAnswered(socket: Socket): boolean;
  /** Whether no other request has come after this one on its connection. */
  isLatest(request: IncomingMessage): boolean;
  /** Calls `gone` once the connection has closed. One listener per socket serves all of them. */
  onGone(socket: Socket, gone: () => void): () => void;
  readonly open: number;
  /** Resolves once none is open. */
  allClosed(): Promise<void>;
}

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
export function guardConnections(server: Server, { limits, isTrustedProxy, onLimit }: Options): Connections {
  const connections = new Map<Socket, Connection>();
  const perSource = new Map<string, number>();

  let onAllClosed = (): void => {};

  const forget = ({ socket, source, onGone }: Connection): void => {
    connections.delete(socket);
    if (connections.size === 0) onAllClosed();
    for (const gone of onGone) gone();
    if (source === null) return;
    const left = (perSource.get(source) ?? 1) - 1;
    if (left === 0) perSource.delete(source);
    else perSource.set(source, left);
  };

  server.on('connection', (socket: Socket) => {
    const address = socket.remoteAddress ?? '';
    const source = isTrustedProxy(address) ? null : sourceOf(address);
    const fromSource = source === null ? 0 : (perSource.get(source) ?? 0);
    if (fromSource >= limits.connectionsPerAddress) {
      onLimit('connections_per_address');
      socket.destroy();
      return;
    }
    if (connections.size >= limits.connections) {
      onLimit('connections');
      // A new connection is worth more than one without a request in progress.
      const spare = findSpare(connections.values());
      if (spare === null) {
        socket.destroy();
        return;
      }
      forget(spare);
      spare.socket.destroy();
    }
    if (source !== null) perSource.set(source, fromSource + 1);
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
    connections.set(socket, connection);
    socket.once('close', () => {
      if (connections.has(socket)) forget(connection);
    });
  });

  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    const connection = connections.get(request.socket);
    if (!connection) return;
    connection.request = request;
    connection.response = response;
    connection.phase = 'working';
  });

  const check = (): void => {
    const now = monotonicMs();
    for (const connection of connections.values()) {
      const { socket } = connection;
      const phase = phaseOf(connection);
      if (phase !== connection.phase) {
        connection.phase = phase;
        connection.since = now;
        connection.bytesBefore = socket.bytesRead;
      } else if (
        isOverdue(limits, {
          phase,
          forMs: now - connection.since,
          bytes: socket.bytesRead - connection.bytesBefore,
        })
      )
        socket.destroy();
    }
  };
  const timer = setInterval(check, limits.checkEveryMs).unref();
  server.once('close', () => clearInterval(timer));

  return {
    closeWith(socket, lastBytes) {
      const connection = connections.get(socket);
      if (connection?.closing) return;
      if (!connection || !socket.writable) {
        socket.destroy();
        return;
      }
      connection.closing = true;
      socket.end(lastBytes);
    },
    hasAnswered: (socket) => {
      const connection = connections.get(socket);
      return connection?.response?.headersSent === true && phaseOf(connection) !== 'idle';
    },
    isLatest: (request) => connections.get(request.socket)?.request === request,
    onGone(socket, gone) {
      const connection = connections.get(socket);
      connection?.onGone.add(gone);
      return () => connection?.onGone.delete(gone);
    },
    get open() {
      return connections.size;
    },
    allClosed: () =>
      new Promise((resolve) => {
        onAllClosed = resolve;
        if (connections.size === 0) resolve();
      }),
  };
}

/** The oldest connection without a request in progress. */
function findSpare(connections: Iterable<Connection>): Connection | null {
  for (const connection of connections) if (isSpare(phaseOf(connection))) return connection;
  return null;
}
