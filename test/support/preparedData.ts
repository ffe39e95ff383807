import { startEmbedded } from '../../src/db/embedded/embedded.ts';
import { migrate } from '../../src/db/migrate.ts';
import { scratchFolder } from './scratchFolder.ts';

/** The folder of an embedded Postgres that has the schema, as a start on an empty DATA_DIR makes it, and is stopped. */
export async function makePreparedData(): Promise<{ path: string; remove(): Promise<void> }> {
  const folder = await scratchFolder();
  const postgres = await startEmbedded({ dataDir: folder.path, settings: { fsync: 'off' } });
  try {
    await migrate(postgres.url);
  } finally {
    await postgres.stop();
  }
  return folder;
}
