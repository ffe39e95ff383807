import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { prepare, ROOT } from './prepare.mjs';

/* Writes migrations/schema.sql: migrates an empty database and describes what came of it. */

await prepare();
const { startEmbedded } = await import('../dist/db/embedded/embedded.js');
const { migrate } = await import('../dist/db/migrate.js');
const { dumpSchema } = await import('../dist/db/schemaDump.js');
const { openPool } = await import('../dist/db/pool.js');

const folder = await mkdtemp(join(tmpdir(), 'waypost-schema-'));
const postgres = await startEmbedded({ dataDir: folder, settings: { fsync: 'off' } });
try {
  await migrate(postgres.url);
  const pool = openPool(postgres.url, { max: 1, name: 'schema', onError: () => {} });
  await writeFile(join(ROOT, 'migrations', 'schema.sql'), await dumpSchema(pool));
  await pool.end();
} finally {
  await postgres.stop();
  await rm(folder, { recursive: true, force: true });
}
