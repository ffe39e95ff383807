import { statement } from '../src/db/statement.ts';

export interface TableHealth {
  name: string;
  megabytes: number;
  live: number;
  dead: number;
  updates: number;
  /** HOT updates, which touch no index. */
  hot: number;
  vacuums: number;
}

/** Postgres's statistics of the largest tables. */
export const tableHealth = statement<[], TableHealth>(`
  select relname as name, round(pg_total_relation_size(relid) / 1048576.0, 1)::float as megabytes, n_live_tup as live,
    n_dead_tup as dead, n_tup_upd as updates, n_tup_hot_upd as hot, autovacuum_count as vacuums
  from pg_stat_user_tables where n_tup_ins + n_tup_upd + n_tup_del > 0
  order by pg_total_relation_size(relid) desc limit 14`);

export const countStoredMessages = statement<[], { count: number }>('select count(*) from messages');
