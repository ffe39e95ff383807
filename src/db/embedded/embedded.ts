import { resolve } from 'node:path';
import { OperatorError } from '../../kit/errors.ts';
import { type Cluster, ensureCluster } from './cluster.ts';
import { asAdministrator, asWaypost, connectionConfig, connectionUrl } from './connection.ts';
import { stopServer } from './server.ts';
import { type ClusterSession, openSession } from './session.ts';
import type { ServerSettings } from './settings.ts';

/** A real Postgres of our own in DATA_DIR, for whoever has set no DATABASE_URL. */
export interface EmbeddedPostgres {
  /** For `connectionString`. */
  readonly url: string;
  /** The same, for `new Pool({ ...connection })`. */
  readonly connection: ReturnType<typeof connectionConfig>;
  /** The superuser's way in, to the database `postgres`. */
  readonly administratorUrl: string;
  /** Stops Postgres, unless somebody else still uses it: then the last of them does. Safe to call twice. */
  stop(): Promise<void>;
}

interface Options {
  readonly dataDir: string;
  /** Parameters of postgresql.conf that win over ours. They take effect when the server is started by this call. */
  readonly settings?: ServerSettings;
}

/** For the server. Takes over a Postgres that a killed server left behind; refuses while another server lives. */
export async function startEmbedded(options: Options): Promise<EmbeddedPostgres> {
  const embedded = await open(options, true);
  if (embedded !== null) return embedded;
  throw new OperatorError(
    `Waypost is already running on these data (DATA_DIR ${resolve(options.dataDir)}): stop it first, or set another DATA_DIR and PORT.`,
  );
}

/** For a command: beside a running server, or alone, with Postgres started for as long as the command takes. */
export async function joinEmbedded(options: Options): Promise<EmbeddedPostgres> {
  const embedded = await open(options, false);
  if (embedded === null) throw new Error('only a server can find the place taken');
  return embedded;
}

async function open({ dataDir, settings = {} }: Options, serving: boolean): Promise<EmbeddedPostgres | null> {
  const cluster = await ensureCluster(dataDir, settings);
  const session = await openSession({ cluster, settings, serving });
  if (session === null) return null;
  const endpoint = asWaypost(cluster, session.socketDirectory);
  let stopped: Promise<void> | undefined;
  return {
    url: connectionUrl(endpoint),
    connection: connectionConfig(endpoint),
    administratorUrl: connectionUrl(asAdministrator(session.administratorPassword, session.socketDirectory)),
    stop: () => {
      stopped ??= goodbye(cluster, session);
      return stopped;
    },
  };
}

async function goodbye(cluster: Cluster, session: ClusterSession): Promise<void> {
  // A session that was cut cannot tell who else is in; then what runs is ours to stop.
  const alone = await session.leave().catch(() => true);
  if (alone) await stopServer(cluster);
  await session.close().catch(() => {});
}
