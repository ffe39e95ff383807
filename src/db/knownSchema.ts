import pg from 'pg';
import { OperatorError } from '../kit/errors.ts';
import { VERSION } from '../kit/version.ts';
import { type AppliedMigration, readApplied } from './sql.ts';
import type { Queryable } from './statement.ts';

const UNDEFINED_TABLE = '42P01';

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
