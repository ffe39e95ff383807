import pg from 'pg';
import { monotonicMs, SECOND } from '../../kit/clock.ts';
import { isUnavailable } from '../errors.ts';
import { isOnCluster } from '../pool.ts';
import { type Queryable, statementOnCluster } from '../statement.ts';
import { askPairsOfShards, askShards, rowsAsJson } from './sql.ts';

/*
 * A statement across all shards fails when one worker of the cluster is down. What only looks for due work must not: then it asks
 * each shard by itself, and leaves out those that do not answer.
 */

/** Each shard takes a connection of its own, which a look for each new push would open again and again. */
const EACH_SHARD_EVERY_MS = SECOND / 2;

type Parameter = string | number | Date;
/** Sharded tables: one, or two that are joined within each shard. */
type Tables = readonly [string] | readonly [string, string];

interface Look<Row> {
  rows: Row[];
  /** Whether every shard answered. */
  complete: boolean;
}

/**
 * A query of all shards, whose last parameter is its limit. Its rows are numbers, text and booleans, since those of one shard arrive as
 * JSON. `order`: the columns, of text, by which it is ordered.
 */
export function lookOnAllShards<
  Params extends readonly [...Parameter[], number],
  Row extends pg.QueryResultRow,
>(
  tables: Tables,
  order: readonly (keyof Row & string)[],
  text: (...names: string[]) => string,
): (db: Queryable, ...params: Params) => Promise<Look<Row>> {
  const all = statementOnCluster<Params, Row>(text(...tables));
  const command = text(...tables.map((_, at) => placeOf(at)));
  const byOrder = (a: Row, b: Row): number =>
    order.reduce((sign, column) => sign || compareText(String(a[column]), String(b[column])), 0);
  let askedEachAt = Number.NEGATIVE_INFINITY;
  return async (db, ...params) => {
    if (monotonicMs() - askedEachAt < EACH_SHARD_EVERY_MS) return { rows: [], complete: false };
    try {
      return { rows: await all(db, ...params), complete: true };
    } catch (error) {
      if (!isUnavailable(error)) throw error;
      askedEachAt = monotonicMs();
      const { rows, complete } = await lookOnEachShard<Row>(db, tables, withLiterals(command, params));
      return { rows: rows.sort(byOrder).slice(0, Number(params.at(-1))), complete };
    }
  };
}

const compareText = (a: string, b: string): number => (a < b ? -1 : Number(a > b));

const placeOf = (at: number): string => `@table${at + 1}@`;

/** As Citus's functions take it: a format with the names of the shards, and no parameters. */
const withLiterals = (text: string, params: readonly Parameter[]): string =>
  rowsAsJson(text)
    .replace(/\$(\d+)/g, (_, number) => literalOf(params[Number(number) - 1] ?? ''))
    .replaceAll('%', '%%')
    .replace(/@table(\d)@/g, '%$1$$s');

const literalOf = (value: Parameter): string =>
  typeof value === 'number'
    ? String(value)
    : pg.escapeLiteral(typeof value === 'string' ? value : value.toISOString());

async function lookOnEachShard<Row>(db: Queryable, tables: Tables, command: string): Promise<Look<Row>> {
  const answers =
    tables.length === 1
      ? await askShards(db, tables[0], command)
      : await askPairsOfShards(db, tables[0], tables[1], command);
  const answered = answers.filter(({ success }) => success);
  return {
    rows: answered.flatMap(({ result }): Row[] => JSON.parse(result)),
    complete: answered.length === answers.length,
  };
}

/**
 * The results for the shops whose shards can be reached. Where one cannot, the others' claims are made already and must not be
 * forgotten. Throws if none could be reached, or if something else went wrong.
 */
export async function ofReachableShops<Result>(claims: readonly Promise<Result>[]): Promise<Result[]> {
  const settled = await Promise.allSettled(claims);
  const done = settled.flatMap((claim) => (claim.status === 'fulfilled' ? [claim.value] : []));
  for (const claim of settled)
    if (claim.status === 'rejected' && (done.length === 0 || !isUnavailable(claim.reason)))
      throw claim.reason;
  return done;
}

/** When work comes due next, or null while a worker of a cluster is down: then the caller polls. */
export const nextDueIfReachable = (
  db: Queryable,
  asked: Promise<{ due_at: Date | null }[]>,
): Promise<Date | null> =>
  asked.then(
    ([next]) => next?.due_at ?? null,
    (error: unknown) => {
      if (isOnCluster(db) && isUnavailable(error)) return null;
      throw error;
    },
  );
