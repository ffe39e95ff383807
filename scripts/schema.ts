import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbedded } from '../src/db/embedded/embedded.ts';
import { migrate } from '../src/db/migrate.ts';
import { openPool } from '../src/db/pool.ts';
import { dumpSchema } from './schemaDump.ts';

/* npm run schema   writes migrations/schema.sql: migrates an empty database and describes what came of it */

const folder = await mkdtemp(join(tmpdir(), 'waypost-schema-'));
const postgres = await startEmbedded({ dataDir: folder, settings: { fsync: 'off' } });
try {
  await migrate(postgres.url);
  const pool = openPool(postgres.url, { max: 1, name: 'schema', onError: () => {} });
  await writeFile(new URL('../migrations/schema.sql', import.meta.url), await dumpSchema(pool));
  await pool.end();
} finally {
  await postgres.stop();
  await rm(folder, { recursive: true, force: true });
}
