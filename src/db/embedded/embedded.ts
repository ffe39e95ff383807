import { resolve } from 'node:path';
import { OperatorError } from '../../kit/errors.ts';
import { type Cluster, ensureCluster } from './cluster.ts';
import { asAdministrator, asWaypost, connectionConfig, connectionUrl } from './connection.ts';
import { hasEmbedded } from './hasEmbedded.ts';
import { stopServer } from './server.ts';
import { type ClusterSession, openSession } from './session.ts';
import type { ServerSettings } from './settings.ts';

/** A real Postgres in DATA_DIR, for a start without DATABASE_URL. */
interface EmbeddedPostgres {
  /** For `connectionString`. */
  readonly url: string;
  /** The same, for `new Pool({ ...connection })`. */
  readonly connection: ReturnType<typeof connectionConfig>;
  /** For the superuser, to the database `postgres`. */
  readonly administratorUrl: string;
  /** Stops Postgres unless another process still uses it; then the last process stops it. Idempotent. */
  stop(): Promise<void>;
}

interface Options {
  readonly dataDir: string;
  /** Parameters of postgresql.conf that override ours. They take effect only if this call starts the server. */
  readonly settings?: ServerSettings;
}

/** For the server. Takes over a Postgres that a killed server left running; refuses while another server runs. */
export async function startEmbedded(options: Options): Promise<EmbeddedPostgres> {
  const embedded = await open(options, true);
  if (embedded !== null) return embedded;
  throw new OperatorError(
    `Waypost is already running on these data (DATA_DIR ${resolve(options.dataDir)}): stop it first, or set another DATA_DIR and PORT.`,
  );
}

/**
 * For a command: uses the running server's Postgres, or starts one for the duration of the command. It never makes a database: in
 * the wrong folder that would look like an empty one.
 */
export async function joinEmbedded(options: Options): Promise<EmbeddedPostgres> {
  if (!hasEmbedded(options.dataDir)) {
    throw new OperatorError(
      `There is no database in ${resolve(options.dataDir)} (DATA_DIR), and DATABASE_URL is not set: set either as the service has it, or start the service here, which makes one.`,
    );
  }
  const embedded = await open(options, false);
  if (embedded === null) throw new Error('only a server can find another one serving');
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
      stopped ??= leaveAndStop(cluster, session);
      return stopped;
    },
  };
}

async function leaveAndStop(cluster: Cluster, session: ClusterSession): Promise<void> {
  // A session whose connection broke cannot see other users; then the running server is ours to stop.
  const alone = await session.leave().catch(() => true);
  if (alone) await stopServer(cluster);
  await session.close().catch(() => {});
}
