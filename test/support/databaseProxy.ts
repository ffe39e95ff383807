import { connect, createServer, type Socket } from 'node:net';
import { parse } from 'pg-connection-string';
import { listenOnFreePort } from './freePort.ts';

/** Stands between the service and its Postgres, and can stop forwarding without closing anything. */
export interface DatabaseProxy {
  /** The same database, through the proxy. */
  readonly url: string;
  /** From now on nothing is forwarded on open connections, in one direction or both; with `new`, on later ones too. */
  silence(what: Silence): void;
  /** Later connections are forwarded again; those that were silenced stay so. */
  heal(): void;
  /** How many connections were ever accepted. */
  accepted(): number;
  close(): void;
}

export interface Silence {
  direction: 'both' | 'to_server' | 'from_server';
  connections: 'established' | 'all';
}

interface Forwarded {
  near: Socket;
  far: Socket;
  silenced: Silence['direction'] | null;
}

export async function openDatabaseProxy(databaseUrl: string): Promise<DatabaseProxy> {
  const { host, port, user = '', password = '', database } = parse(databaseUrl);
  const target = host?.startsWith('/')
    ? { path: `${host}/.s.PGSQL.${port || 5432}` }
    : { host: host ?? '127.0.0.1', port: Number(port || 5432) };
  const open = new Set<Forwarded>();
  let later: Silence['direction'] | null = null;
  let accepted = 0;

  const server = createServer({ noDelay: true }, (near) => {
    accepted += 1;
    const pair: Forwarded = { near, far: connect(target), silenced: later };
    open.add(pair);
    const forwards = (direction: 'to_server' | 'from_server'): boolean =>
      pair.silenced !== 'both' && pair.silenced !== direction;
    near.on('data', (bytes) => forwards('to_server') && pair.far.write(bytes));
    pair.far.on('data', (bytes) => forwards('from_server') && near.write(bytes));
    // What is silent does not even say that it ended.
    const end = (other: Socket) => () => {
      if (pair.silenced === null) other.destroy();
    };
    near.on('error', () => {}).on('close', end(pair.far));
    pair.far.on('error', () => {}).on('close', end(near));
  });
  const listening = await listenOnFreePort(server);
  const login = `${encodeURIComponent(user)}:${encodeURIComponent(password)}`;
  return {
    url: `postgresql://${login}@127.0.0.1:${listening}/${database}?sslmode=disable`,
    accepted: () => accepted,
    silence({ direction, connections }) {
      for (const pair of open) pair.silenced = direction;
      later = connections === 'all' ? direction : null;
    },
    heal() {
      later = null;
    },
    close() {
      server.close();
      for (const { near, far } of open) {
        near.destroy();
        far.destroy();
      }
    },
  };
}
