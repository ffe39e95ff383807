import pg from 'pg';
import { type Queryable, unnamedStatement } from '../statement.ts';

/** Whether the extension is there, in which version, and whether the tables are distributed. */
export const describeCluster = unnamedStatement<
  [],
  { version: string | null; available: boolean; may_distribute: boolean }
>(`
  select (select extversion from pg_extension where extname = 'citus') as version,
    exists (select from pg_available_extensions where name = 'citus') as available,
    pg_has_role((select relowner from pg_class where oid = to_regclass('businesses')), 'member') as may_distribute`);

/** Only where the extension is there: elsewhere there is no such table. */
export const readDistribution = unnamedStatement<[], { table: string; kind: 'distributed' | 'reference' }>(`
  select c.relname as table, case when p.partmethod = 'h' then 'distributed' else 'reference' end as kind
  from pg_dist_partition p join pg_class c on c.oid = p.logicalrelid
  where c.relnamespace = current_schema()::regnamespace and (p.partmethod = 'h' or p.repmodel = 't')`);

export const countWorkers = unnamedStatement<[], { workers: number }>(`
  select count(*)::int as workers from pg_dist_node where isactive and shouldhaveshards and noderole = 'primary'`);

export const distributeTable = (
  db: Queryable,
  table: string,
  column: string,
  beside: string | null,
  shards: number,
) =>
  unnamedStatement<[]>(
    `select create_distributed_table(${pg.escapeLiteral(table)}, ${pg.escapeLiteral(column)}, ${
      beside === null ? `shard_count := ${shards}` : `colocate_with := ${pg.escapeLiteral(beside)}`
    })`,
  )(db);

export const copyTable = (db: Queryable, table: string) =>
  unnamedStatement<[]>(`select create_reference_table(${pg.escapeLiteral(table)})`)(db);

/**
 * The rows that were in a table before it was distributed stay in it, unseen, until this deletes them. The tables refer to each
 * other, hence all of them at once.
 */
export const dropOldRows = (db: Queryable, tables: readonly string[]) =>
  unnamedStatement<[]>(
    `select truncate_local_data_after_distributing_table(t::regclass) from unnest(array[${tables
      .map((table) => pg.escapeLiteral(table))
      .join(', ')}]) t`,
  )(db);
