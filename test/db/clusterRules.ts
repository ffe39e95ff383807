import { DISTRIBUTED_TABLES, FIRST_DISTRIBUTED, REFERENCE_TABLES } from '../../src/db/cluster/tables.ts';
import { actionsOf, alteredTable, createdTables, splitList, statementsOf } from './migrationRules.ts';

/*
 * What Citus refuses on tables that are distributed (docs/adr/0008-migrations-while-the-previous-version-runs.md). A table that the same
 * file creates is not distributed yet; its keys and references must still suit its place.
 */

const SHARDED: readonly string[] = [FIRST_DISTRIBUTED.table, ...DISTRIBUTED_TABLES];
const COPIED: readonly string[] = REFERENCE_TABLES;

const businessColumn = (table: string): string =>
  table === FIRST_DISTRIBUTED.table ? FIRST_DISTRIBUTED.column : 'business_id';

/** Citus passes these on to the shards. */
const PASSED_ON =
  /^(?:add|drop|validate|rename)\b|^(?:re)?set \(|^alter (?:column )?\w+ (?:(?:set|drop) (?:default|not null)|set compression|(?:set data )?type)\b/;
const ADDS_CONSTRAINT = /^add (?:constraint|check|foreign key|unique|primary key|exclude)\b/;

/** Why a file cannot be applied to a database that is distributed already, one sentence per fault. */
export function clusterFaults(text: string): string[] {
  const statements = statementsOf(text);
  const created = createdTables(statements);
  return statements.flatMap(({ sql }) => {
    const reasons = [
      ...(created.has(alteredTable(sql) ?? '') ? [] : faultsOfForm(sql)),
      ...partsOf(sql).flatMap(({ table, part }) => faultsOfPlace(table, part)),
    ];
    return reasons.map((reason) => `${reason}: ${sql}`);
  });
}

function faultsOfForm(sql: string): string[] {
  const table = alteredTable(sql);
  if (table === null || ![...SHARDED, ...COPIED].includes(table)) return [];
  const actions = actionsOf(sql);
  return [
    ...(actions.every((action) => PASSED_ON.test(action))
      ? []
      : ['Citus cannot pass this on to shards: only where the table is created']),
    ...(actions.length > 1 && actions.some((action) => ADDS_CONSTRAINT.test(action))
      ? ['Citus adds a constraint only in a command of its own']
      : []),
  ];
}

/** The columns, constraints and unique indexes that a statement gives to a table. An index reads as a constraint. */
function partsOf(sql: string): { table: string; part: string }[] {
  const [, indexed, columns] =
    /^create unique index (?:concurrently )?(?:if not exists )?\w+ on (?:only )?(\w+)[^(]*(.*)/.exec(sql) ??
    [];
  if (indexed !== undefined) return [{ table: indexed, part: `unique ${columns}` }];
  const [, created, definition = ''] = /^create table (\w+) ?\((.*)/.exec(sql) ?? [];
  if (created !== undefined) return splitList(definition).map((part) => ({ table: created, part }));
  const altered = alteredTable(sql);
  if (altered === null) return [];
  return actionsOf(sql).map((action) => ({
    table: altered,
    part: action.replace(/^add (?:column )?(?:if not exists )?/, ''),
  }));
}

function faultsOfPlace(table: string, part: string): string[] {
  return keysOf(part).flatMap(({ columns, target }) => {
    if (target === null)
      return SHARDED.includes(table) && !columns.includes(businessColumn(table))
        ? ['A shard knows only its own rows: a unique key needs the column of the business']
        : [];
    if (SHARDED.includes(table) && SHARDED.includes(target))
      return columns[0] !== businessColumn(table) || /\bon (?:delete|update) set\b/.test(part)
        ? ['A sharded table refers to another by the column of the business first, which no action may set']
        : [];
    return [...SHARDED, ...COPIED].includes(table) && !COPIED.includes(target)
      ? ['A sharded table refers to sharded and copied tables, a copied one to copied tables']
      : [];
  });
}

interface Key {
  columns: string[];
  /** The table that it refers to; null: a unique key. */
  target: string | null;
}

function keysOf(part: string): Key[] {
  const [, listed] = /^(?:constraint \w+ )?(?:primary key|unique|foreign key) ?\((.*)/.exec(part) ?? [];
  const columns = splitList(listed ?? part).map((column) => column.split(' ')[0] ?? '');
  if (listed !== undefined) return [{ columns, target: / references (\w+)/.exec(part)?.[1] ?? null }];
  return [...part.matchAll(/\b(?:primary key|unique|references (\w+))/g)].map(([, target = null]) => ({
    columns,
    target,
  }));
}
