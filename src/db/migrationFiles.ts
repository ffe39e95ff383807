import { readdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { MigrationBuilder } from 'node-pg-migrate';
import { PACKAGE_ROOT } from '../kit/packageRoot.ts';
import { splitStatements } from './splitStatements.ts';
import { PASS_ON_SETTINGS } from './statement.ts';

export const MIGRATIONS = fileURLToPath(new URL('migrations', PACKAGE_ROOT));

/** Made from the migrations, and not one of them. */
export const SCHEMA_DUMP = 'schema.sql';

/**
 * While a migration waits for a table lock, every statement on that table queues behind it. So it waits briefly
 * and retries later.
 */
const TABLE_LOCK_TIMEOUT_MS = 1_000;

/** What a transaction that changes tables sets first. A Postgres without Citus accepts any setting with a dot in its name. */
export const SCHEMA_CHANGE_SETTINGS = [
  // Otherwise Citus would take a new table that refers to a copied one into its own care before it is distributed.
  'citus.enable_local_reference_table_foreign_keys = off',
  // With several connections per worker, Citus cannot change a copied table after a sharded one that refers to it.
  'citus.multi_shard_modify_mode = sequential',
  PASS_ON_SETTINGS,
  `lock_timeout = ${TABLE_LOCK_TIMEOUT_MS}`,
].map((setting) => `set local ${setting}`);

const CONCURRENT_INDEX =
  /^(?:\s|--[^\n]*\n)*(?<verb>create|drop)\s+(?:unique\s+)?index\s+concurrently\s+(?:if\s+(?:not\s+)?exists\s+)?(?<name>\w+)/i;

/** A migration that is not applied yet. */
export interface PlannedMigration {
  name: string;
  /** A migration runs in a transaction of its own, unless it builds or drops an index beside running statements. */
  in_transaction: boolean;
  /** The first sentence of its comment. */
  about: string;
}

/** The names of all migrations, in the order in which they are applied. */
export async function migrationNames(folder: string): Promise<string[]> {
  const files = (await readdir(folder)).filter((file) => file.endsWith('.sql') && file !== SCHEMA_DUMP);
  return files.map((file) => basename(file, '.sql')).sort();
}

export async function describeMigration(folder: string, name: string): Promise<PlannedMigration> {
  const sql = await readFile(join(folder, `${name}.sql`), 'utf8');
  const comment = (/^(?:--[^\n]*\n)+/.exec(sql)?.[0] ?? '').replace(/^-- ?/gm, '').replace(/\s+/g, ' ');
  const about = /^.*?[.:](?= |$)/.exec(comment.trim())?.[0] ?? comment.trim();
  return { name, in_transaction: !CONCURRENT_INDEX.test(sql), about: about.replace(/:$/, '.') };
}

/**
 * Each statement is sent by itself: Citus repeats some on the workers with the text that they came in, and cannot if there are
 * others in it. An index cannot be built concurrently in a transaction, so its file holds nothing else. If the build fails,
 * Postgres leaves an invalid index, which the next try replaces.
 */
export async function loadMigration(path: string) {
  const sql = await readFile(path, 'utf8');
  const index = CONCURRENT_INDEX.exec(sql)?.groups;
  const up = (pgm: MigrationBuilder) => {
    if (index !== undefined) pgm.noTransaction();
    else for (const setting of SCHEMA_CHANGE_SETTINGS) pgm.sql(setting);
    if (index?.verb?.toLowerCase() === 'create') pgm.sql(`drop index concurrently if exists ${index.name}`);
    for (const statement of splitStatements(sql)) pgm.sql(statement);
  };
  return { id: path, filePaths: [path], actions: { up, down: false as const } };
}
