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

interface WorkerAnswer {
  success: boolean;
  /** The rows as JSON, or the error. */
  result: string;
}

/**
 * Answers for each worker with shards that are not silent, since each answer takes a new connection. The query is a format with the
 * names of the shard and of the one beside it.
 */
export const askWorkers = (
  db: Queryable,
  table: string,
  beside: string,
  query: string,
  silent: readonly number[],
) =>
  unnamedStatement<
    [table: string, beside: string, query: string, silent: readonly number[]],
    WorkerAnswer & pg.QueryResultRow
  >(`
  with shards as (
    select *, row_number() over (partition by logicalrelid order by shardminvalue::int) - 1 as number
    from pg_dist_shard where logicalrelid in ($1::regclass, $2::regclass)
  ), by_worker as (
    select p.nodename, p.nodeport::int, string_agg(
      '(' || format($3, shard_name(s.logicalrelid, s.shardid), shard_name(b.logicalrelid, b.shardid)) || ')', ' union all ') as queries
    from shards s join shards b using (number) join pg_dist_shard_placement p on p.shardid = s.shardid
    where s.logicalrelid = $1::regclass and b.logicalrelid = $2::regclass and number <> all ($4::int[])
    group by 1, 2
  ), asked as (
    select array_agg(nodename) as names, array_agg(nodeport) as ports,
      array_agg(format('select coalesce(json_agg(found), ''[]'') from (%s) found', queries)) as commands
    from by_worker
  )
  select success, result from asked cross join lateral master_run_on_worker(names, ports, commands, true)
  where commands is not null`)(db, table, beside, query, silent);

/** The shards of workers that do not answer. A plain text: it is sent on a connection outside of the pool that it watches over. */
export const FIND_SILENT_SHARDS = `
  select s.number from run_command_on_workers('select 1') w
  join pg_dist_node n on n.nodename = w.nodename and n.nodeport = w.nodeport
  join pg_dist_placement p using (groupid)
  join (select shardid, (row_number() over (order by shardminvalue::int) - 1)::int as number
    from pg_dist_shard where logicalrelid = 'businesses'::regclass) s using (shardid)
  where not w.success`;
