import { splitStatements } from '../../src/db/splitStatements.ts';

/*
 * What a migration may do while processes of the version before it still run: docs/adr/0008-migrations-while-the-previous-version-runs.md.
 * The known safe forms are listed and everything else is refused, so that a new form needs a decision.
 */

interface Statement {
  /** In lower case, without comments, with single spaces; texts are emptied so that their words are not read as SQL. */
  sql: string;
  /** The release that its comment names: `-- unused since 0.2.0`. */
  unusedSince: string | null;
}

const TEXT_OR_COMMENT = /--.*|\/\*[\s\S]*?\*\/|'(?:[^']|'')*'|(\$\w*\$)[\s\S]*?\1/g;

/** Why a file may not be a migration, one sentence per fault. `released` are the versions that were released before it. */
export function migrationFaults(text: string, released: readonly string[]): string[] {
  if (/^\s*--[\s-]*(?:up|down)\s+migration/im.test(text))
    return ['Migrations lead forward only: no section for a way back.'];
  const statements = statementsOf(text);
  const created = createdTables(statements);
  const faults = statements.flatMap((statement) => faultsOfStatement(statement, created, released));
  const alone = statements.find(({ sql }) =>
    /^(?:create|drop) .*\bconcurrently\b|\bvalidate constraint\b/.test(sql),
  );
  if (alone && statements.length > 1) faults.push(`Must be alone in its file: ${alone.sql}`);
  const altered = new Set(
    statements.map(({ sql }) => alteredTable(sql)).filter((table) => table !== null && !created.has(table)),
  );
  if (altered.size > 1)
    faults.push(`Locks several tables until the file ends, one per file: ${[...altered].join(', ')}`);
  if (statements.length === 0) faults.push('The file has no statement.');
  return faults;
}

export const statementsOf = (text: string): Statement[] =>
  splitStatements(text)
    .map((statement) => {
      let unusedSince: string | null = null;
      const bare = statement.replace(TEXT_OR_COMMENT, (found) => {
        if (!/^(?:--|\/\*)/.test(found)) return found.startsWith('$') ? '$$' : "''";
        unusedSince ??= /^--\s*unused since (\d+\.\d+\.\d+)\b/.exec(found)?.[1] ?? null;
        return ' ';
      });
      const sql = bare
        .replaceAll(/["\s]+/g, ' ')
        .replaceAll(/\bpublic\./gi, '')
        .trim()
        .toLowerCase();
      return { sql, unusedSince };
    })
    .filter(({ sql }) => sql !== '');

export const createdTables = (statements: readonly Statement[]): Set<string> =>
  new Set(statements.flatMap(({ sql }) => /^create table (\w+)/.exec(sql)?.[1] ?? []));

export const alteredTable = (sql: string): string | null =>
  /^alter table (?:if exists )?(?:only )?(\w+)/.exec(sql)?.[1] ?? null;

function faultsOfStatement(
  { sql, unusedSince }: Statement,
  created: Set<string>,
  released: readonly string[],
): string[] {
  const why = (reason: string): string => `${reason}: ${sql}`;
  const removal = (reason: string): string[] =>
    unusedSince !== null && released.includes(unusedSince)
      ? []
      : [
          why(
            `${reason}; remove it a release later, under a comment "-- unused since X.Y.Z" that names a released version`,
          ),
        ];

  if (/^create table \w+ as\b|^select .* into\b/.test(sql)) return [why('Copies a table in one transaction')];
  if (/^create table if not exists\b/.test(sql))
    return [why('Hides that a table of this name is there already')];
  if (/^(?:create table|comment on) /.test(sql)) return [];
  const index = /^create (?:unique )?index (concurrently )?(?:if not exists )?\w+ on (?:only )?(\w+)/.exec(
    sql,
  );
  if (index)
    return created.has(index[2] ?? '') || index[1]
      ? []
      : [why('Blocks writes while the index is built: create it concurrently')];
  if (/^drop index /.test(sql))
    return [
      ...(/^drop index concurrently if exists \w+$/.test(sql)
        ? []
        : [why('Use drop index concurrently if exists')]),
      ...removal('The previous version may need the index'),
    ];
  if (/^drop table /.test(sql)) return removal('The previous version may use the table');
  const filled = /^insert into (\w+)/.exec(sql)?.[1];
  if (filled !== undefined && (created.has(filled) || !/\bselect\b/.test(sql))) return [];
  if (/^(?:insert|update|delete|merge|with)\b/.test(sql))
    return [why('Changes rows of any number in one transaction: let the program do it in batches')];
  if (/^(?:do|call)\b/.test(sql)) return [why('Cannot be checked: write the statements themselves')];
  if (/^(?:begin|commit|end|rollback|start|savepoint|set|reset)\b/.test(sql))
    return [why('The program begins, limits and ends the transaction')];
  if (/^(?:lock|truncate|cluster|vacuum|reindex|refresh)\b/.test(sql)) return [why('Locks a table for long')];
  if (/^alter (?!table)\w+ .*\brename\b/.test(sql)) return [why('The previous version uses the old name')];
  const table = alteredTable(sql);
  if (table === null) return [why('Not known to be safe: add the form to this rule, with the reason')];
  if (created.has(table)) return [];
  return actionsOf(sql).flatMap((action) => faultsOfAction(action, why, removal));
}

/** What an `alter table` does, one by one. */
export const actionsOf = (sql: string): string[] =>
  splitList(sql.replace(/^alter table (?:if exists )?(?:only )?\w+ /, ''));

/** At commas outside of brackets, up to the bracket that closes the list. */
export function splitList(list: string): string[] {
  let depth = 0;
  let parts = [''];
  for (const character of list) {
    if (character === '(') depth += 1;
    if (character === ')') depth -= 1;
    if (depth < 0) break;
    if (character === ',' && depth === 0) parts = [...parts, ''];
    else parts = [...parts.slice(0, -1), `${parts.at(-1)}${character}`];
  }
  return parts.map((part) => part.trim());
}

const CONSTANT = /\bdefault (?:''(?:::[\w[\] ]+)?|-?\d+(?:\.\d+)?|true|false|null)(?= |$)/;

function faultsOfAction(
  action: string,
  why: (reason: string) => string,
  removal: (reason: string) => string[],
): string[] {
  if (/^rename\b/.test(action))
    return [why('The previous version uses the old name: add a new one, remove the old one later')];
  if (/^alter (?:column )?\w+ (?:set data )?type\b/.test(action))
    return [why('Rewrites the table, or changes what the previous version reads: add a new column')];
  if (/^alter (?:column )?\w+ set not null$/.test(action))
    return [
      why(
        'Reads the whole table under a lock: add a check (… is not null) not valid and validate it in the next file',
      ),
    ];
  if (/^alter (?:column )?\w+ drop not null$/.test(action))
    return removal('The previous version may not expect null');
  if (/^alter (?:column )?\w+ drop default$/.test(action))
    return removal('The previous version may leave the column out');
  if (/^alter (?:column )?\w+ set (?:default|storage|statistics|compression|\()/.test(action)) return [];
  if (/^(?:set|reset) \(/.test(action)) return [];
  if (/^validate constraint \w+$/.test(action)) return [];
  if (/^drop constraint (?:if exists )?\w+_(?:check\d*|fkey\d*)$/.test(action)) return [];
  if (/^drop constraint\b/.test(action)) return removal('The previous version may rely on the constraint');
  if (/^add (?:constraint \w+ )?(?:check|foreign key) .*\bnot valid$/.test(action)) return [];
  if (/^add (?:constraint|check|foreign key|unique|primary key|exclude)\b/.test(action))
    return [
      why(
        'Reads the whole table under a lock: add a check or foreign key not valid, a unique index concurrently',
      ),
    ];
  if (/^add\b/.test(action)) return faultsOfColumn(action, why);
  if (/^drop (?:column )?(?:if exists )?\w+(?: cascade| restrict)?$/.test(action))
    return removal('The previous version may use the column');
  return [why('Not known to be safe: add the form to this rule, with the reason')];
}

function faultsOfColumn(column: string, why: (reason: string) => string): string[] {
  if (/\b(?:unique|primary key|check|references|generated)\b|\b(?:small|big)?serial\b/.test(column))
    return [why('Reads or rewrites the whole table under a lock: add the column alone, then what binds it')];
  if (/\bdefault\b/.test(column) && !CONSTANT.test(column))
    return [why('May rewrite the table: only a constant default does not')];
  if (/\bnot null\b/.test(column) && (!/\bdefault\b/.test(column) || /\bdefault null\b/.test(column)))
    return [why('The previous version leaves the column out: give it a default')];
  return [];
}
