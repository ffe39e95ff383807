import pg from 'pg';
import { OperatorError } from '../kit/errors.ts';
import { VERSION } from '../kit/version.ts';
import { readApplied } from './sql.ts';
import type { Queryable } from './statement.ts';

const UNDEFINED_TABLE = '42P01';

/** The first file of the numbering before 0.1.0, which was never released. */
const FIRST_BEFORE_RELEASE = '0001_businesses';
const MADE_BEFORE_RELEASE =
  'This database was made by a version of Waypost before 0.1.0 and cannot be upgraded: to start over without its data, ' +
  'delete the folder DATA_DIR, or where DATABASE_URL is set let it name an empty database.';

export interface AppliedMigration {
  name: string;
  /** The version of Waypost that applied it; null: it was not recorded. */
  written_by: string | null;
}

/** The applied migrations; none where nothing was ever migrated. */
export async function appliedTo(db: Queryable, schema: string): Promise<AppliedMigration[]> {
  return readApplied(db, schema).catch((error: unknown) => {
    if (error instanceof pg.DatabaseError && error.code === UNDEFINED_TABLE) return [];
    throw error;
  });
}

/**
 * A program that does not know all of the schema does not start: it cannot tell what the newer version relies on. Processes that
 * run already go on, since every migration is safe for the version before it (docs/adr/0008).
 */
export function refuseUnknownSchema(applied: readonly AppliedMigration[], known: readonly string[]): void {
  if (applied.some(({ name }) => name === FIRST_BEFORE_RELEASE)) throw new OperatorError(MADE_BEFORE_RELEASE);
  const unknown = applied.filter(({ name }) => !known.includes(name)).sort(byName);
  const last = unknown.at(-1);
  if (last === undefined) return;
  throw new OperatorError(
    `The schema of the database was written by ${writerOf(last)}, and this is Waypost ${VERSION}, which does not know ${last.name}: start the version that wrote it, or a later one.`,
  );
}

const byName = (a: AppliedMigration, b: AppliedMigration): number => (a.name < b.name ? -1 : 1);

function writerOf({ written_by: version }: AppliedMigration): string {
  if (version === null) return 'a newer version of Waypost';
  return version === VERSION ? `a later build of Waypost ${version}` : `Waypost ${version}`;
}
