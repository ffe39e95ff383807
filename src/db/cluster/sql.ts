import pg from 'pg';
import { type Queryable, unnamedStatement } from '../statement.ts';

/** Whether the extension is there, in which version, and whether this role owns the tables. */
export const describeCluster = unnamedStatement<
  [],
  { version: string | null; available: boolean; may_distribute: boolean }
>(`
  select (select extversion from pg_extension where extname = 'citus') as version,
    exists (select from pg_available_extensions where name = 'citus') as available,
    coalesce(pg_has_role((select relowner from pg_class where oid = to_regclass('businesses')), 'member'), false) as may_distribute`);

/** Only where the extension is there: elsewhere there is no such table. */
export const readDistribution = (db: Queryable): Promise<{ table: string }[]> =>
  unnamedStatement<[], { table: string }>(`
  select c.relname as table from pg_dist_partition p join pg_class c on c.oid = p.logicalrelid
  where c.relnamespace = current_schema()::regnamespace and (p.partmethod = 'h' or p.repmodel = 't')`)(db);

/** The first hash of each shard, in their order. */
export const readShards = (db: Queryable): Promise<{ first_hash: number }[]> =>
  unnamedStatement<[], { first_hash: number }>(`
  select shardminvalue::int as first_hash from pg_dist_shard where logicalrelid = 'businesses'::regclass order by 1`)(
    db,
  );

/** Those of these tables that are there: a migration that has not run yet makes the others. */
export const findTables = unnamedStatement<[tables: readonly string[]], { table: string }>(`
  select t as table from unnest($1::text[]) t where to_regclass(quote_ident(t)) is not null`);

export const countWorkers = (db: Queryable): Promise<{ workers: number }[]> =>
  unnamedStatement<[], { workers: number }>(`
  select count(*)::int as workers from pg_dist_node where isactive and shouldhaveshards and noderole = 'primary'`)(
    db,
  );

/** Other processes of Waypost on this database. */
export const countOtherSessions = unnamedStatement<[], { sessions: number }>(`
  select count(*)::int as sessions from pg_stat_activity
  where datname = current_database() and application_name like 'waypost %' and pid <> pg_backend_pid()`);

/** Otherwise Citus would take tables that refer to a copied table into its own care before their turn. */
export const allowForeignKeysToCopies = (db: Queryable) =>
  unnamedStatement<[]>('set citus.enable_local_reference_table_foreign_keys = off')(db);

export const distributeTable = (db: Queryable, table: string, column: string, placement: string) =>
  unnamedStatement<[]>(
    `select create_distributed_table(${pg.escapeLiteral(table)}, ${pg.escapeLiteral(column)}, ${placement})`,
  )(db);

export const copyTable = (db: Queryable, table: string) =>
  unnamedStatement<[]>(`select create_reference_table(${pg.escapeLiteral(table)})`)(db);

/** The rows of a table stay on the coordinator when they are copied to the workers, unseen, until this deletes them. */
export const dropOldRows = (db: Queryable, tables: readonly string[]) =>
  unnamedStatement<[tables: readonly string[]]>(`
  select truncate_local_data_after_distributing_table(t::regclass) from unnest($1::text[]) t`)(db, tables);

/**
 * The sessions that Citus opens on the workers do not have the settings of ours. A wait for a lock there would only end with the
 * statement's time limit.
 */
export const limitWorkers = (db: Queryable, settings: Readonly<Record<string, string>>) =>
  unnamedStatement<[commands: string[]], { success: boolean; result: string }>(`
  select w.success, w.result from unnest($1::text[]) c (command)
  cross join lateral run_command_on_workers(format(c.command, current_database())) w where not w.success`)(
    db,
    // Without propagation, since a worker may not change settings for the other nodes.
    Object.entries(settings).map(
      ([name, value]) =>
        `do $$begin set citus.enable_ddl_propagation = off; alter database %I set ${name} = ${pg.escapeLiteral(value)}; end$$`,
    ),
  );

interface ShardAnswer {
  success: boolean;
  /** The rows as JSON, or the error. */
  result: string;
}

/** Answers for each shard. The command is a format with the shard's name. */
export const askShards = (db: Queryable, table: string, command: string) =>
  unnamedStatement<[table: string, command: string], ShardAnswer & pg.QueryResultRow>(
    'select success, result from run_command_on_shards($1::regclass, $2)',
  )(db, table, command);

/** The same for the shards of two tables that lie beside each other. */
export const askPairsOfShards = (db: Queryable, table: string, beside: string, command: string) =>
  unnamedStatement<[table: string, beside: string, command: string], ShardAnswer & pg.QueryResultRow>(
    'select success, result from run_command_on_colocated_placements($1::regclass, $2::regclass, $3)',
  )(db, table, beside, command);

export const rowsAsJson = (query: string): string =>
  `select coalesce(json_agg(found), '[]') from (${query}) found`;
