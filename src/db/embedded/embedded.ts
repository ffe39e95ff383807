import { resolve } from 'node:path';
import { OperatorError } from '../../kit/errors.ts';
import { ensureDataDirectory } from './dataDirectory.ts';
import { hasEmbedded } from './location.ts';
import { openSession } from './session.ts';
import { connectionUrl, type ServerSettings } from './settings.ts';

interface Options {
  readonly dataDir: string;
  /** Parameters of postgresql.conf that override ours. They take effect only if this call starts the server. */
  readonly settings?: ServerSettings;
}

/** For the service. Takes over a Postgres that a killed one left running; refuses while another one runs. */
export const startEmbedded = (options: Options) => open(options, true);

/**
 * For a command: uses the running service's Postgres, or starts one for the duration of the command. It never makes a database: in
 * the wrong folder that would look like an empty one.
 */
export async function joinEmbedded(options: Options) {
  if (hasEmbedded(options.dataDir)) return open(options, false);
  throw new OperatorError(
    `There is no database in ${resolve(options.dataDir)} (DATA_DIR), and DATABASE_URL is not set: set either as the service has it, or start the service here, which makes one.`,
  );
}

/** A real Postgres in DATA_DIR, for a start without DATABASE_URL. */
async function open({ dataDir, settings = {} }: Options, serving: boolean) {
  const directory = await ensureDataDirectory(dataDir, settings);
  const session = await openSession({ directory, settings, serving });
  const urlFor = (role: 'waypost' | 'postgres') =>
    connectionUrl(role, directory.passwords[role], session.socketFolder);
  let stopped: Promise<void> | undefined;
  return {
    url: urlFor('waypost'),
    /** For the superuser, to the database `postgres`. */
    administratorUrl: urlFor('postgres'),
    /** Stops Postgres unless another process still uses it; then the last process stops it. Idempotent. */
    stop: (): Promise<void> => {
      stopped ??= session.end();
      return stopped;
    },
  };
}
