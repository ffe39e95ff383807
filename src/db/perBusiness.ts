import type { QueryResultRow } from 'pg';
import { groupBy } from '../kit/groupBy.ts';
import { lookOnAllShards, lookUpOnAllShards, type QueuesLook, type Visited } from './cluster/reachable.ts';
import { limitToBusinesses } from './cluster/tables.ts';
import type { LookParameter, LookParameters, QueueTable, TwoForms } from './dueQueuesSql.ts';
import { isOnCluster, shardsOf } from './pool.ts';
import {
  asStep,
  declare,
  type Queryable,
  type Statement,
  send,
  sendSteps,
  statementOnCluster,
  statementOnOnePostgres,
} from './statement.ts';
import { atOnce, inSteps, type Writes } from './writesSql.ts';

export { lookUpOnAllShards };

/*
 * Statements about rows of several businesses. Each is written once, for one Postgres. On a cluster a statement may lock and change rows
 * of one shard only: there it is sent once per shard, and limited to the businesses that it is about.
 */

/** What a parameter holds, so that it can be split by shard. */
type ParameterKind =
  /** A list of ids of businesses. */
  | 'businesses'
  /** A list that is parallel to the list of businesses before it. */
  | 'parallel'
  /** A JSON array of rows with a `business_id` each. */
  | 'rows'
  /** One business, where an index hides it in an expression from which Citus cannot tell the shard. */
  | 'business'
  /** The same for every business. */
  | 'same';
type Kinds<Params extends readonly unknown[]> = { readonly [K in keyof Params]: ParameterKind };

interface SplitOptions<Row> {
  /** A column with the place of a row's key in the lists, from 1. */
  place?: keyof Row & string;
  /**
   * What is sent on a cluster instead, one after another, where Citus cannot pass rows from one part of the text to the next. Why stands
   * beside each.
   */
  steps?: readonly string[];
}

/**
 * Answers the rows of the last step. Without any business nothing is sent on a cluster. A list of businesses that the text does not use
 * only says whose rows it is about.
 */
export function statementOfBusinesses<
  Params extends readonly unknown[],
  Row extends QueryResultRow = Record<string, never>,
>(
  kinds: Kinds<Params>,
  text: string,
  { place, steps: texts = [text] }: SplitOptions<Row> = {},
): Statement<Params, Row> {
  const plain = asStep(text);
  const steps = texts.map((step) => asStep(limited(step, kinds)));
  const ofPart = async (db: Queryable, { values, businessIds, places }: Part): Promise<Row[]> => {
    const queries = steps.map(({ query }) => query([...values, businessIds]));
    const rows = (await sendSteps<Row>(db, queries)).at(-1)?.rows ?? [];
    return place === undefined
      ? rows
      : rows.map((row) => ({ ...row, [place]: places[Number(row[place]) - 1] }));
  };
  return declare(steps, async (db, ...params) => {
    if (!isOnCluster(db)) return send<Row>(db, plain.query(params));
    return (
      await Promise.all(splitBy(shardsOf(db).of, kinds, params).map((part) => ofPart(db, part)))
    ).flat();
  });
}

/** Writes that belong together. Answers how many rows the part `counted` wrote, if there is one. */
export function writesOfBusinesses<Params extends readonly unknown[]>(
  kinds: Kinds<Params>,
  writes: Writes,
): Statement<Params, { counted: number }> {
  const plain = statementOnOnePostgres<Params, { counted: number }>(atOnce(writes));
  const steps = inSteps(writes).map(({ name, text }) => ({
    isCounted: name === writes.counted,
    ...asStep(limited(text, kinds)),
  }));
  const ofPart = async (db: Queryable, { values, businessIds }: Part): Promise<number> => {
    const sent = steps
      .map(({ isCounted, query }) => ({ isCounted, query: query([...values, businessIds]) }))
      .filter(({ query }) => !isEmpty(query.values));
    const answers = await sendSteps(
      db,
      sent.map(({ query }) => query),
    );
    return answers[sent.findIndex(({ isCounted }) => isCounted)]?.rowCount ?? 0;
  };
  return declare(steps, async (db, ...params) => {
    if (!isOnCluster(db)) return plain(db, ...params);
    const parts = splitBy(shardsOf(db).of, kinds, params);
    const counts = await Promise.all(parts.map((part) => ofPart(db, part)));
    return [{ counted: counts.reduce((sum, count) => sum + count, 0) }];
  });
}

/** A look at all businesses that takes no locks, which on a cluster is another text. Why stands beside each. */
export function lookInTwoForms<Params extends readonly unknown[], Row extends QueryResultRow>({
  onOnePostgres,
  onCluster,
}: TwoForms): Statement<Params, Row> {
  const plain = statementOnOnePostgres<Params, Row>(onOnePostgres);
  const across = statementOnCluster<Params, Row>(onCluster);
  return (db, ...params) => (isOnCluster(db) ? across : plain)(db, ...params);
}

/** The same for rows of one table, where the shards that cannot be reached are left out. */
export function lookUpInTwoForms<Row extends QueryResultRow>(
  table: string,
  text: string,
  acrossShards: (table: string) => string,
): Statement<[], Row> {
  const plain = statementOnOnePostgres<[], Row>(text);
  const across = lookUpOnAllShards<[], Row>(table, table, acrossShards);
  return async (db) => (isOnCluster(db) ? (await across(db)).rows : plain(db));
}

/** The same for due queues, where the shards that cannot be reached are left out. */
export function lookAtQueues<
  More extends readonly LookParameter[],
  Queue extends { business_id: string; queue: string } & QueryResultRow,
>(of: QueueTable, textsOf: (of: QueueTable) => TwoForms): QueuesLook<More, Queue> {
  const plain = statementOnOnePostgres<LookParameters<More>, Visited<Queue>>(textsOf(of).onOnePostgres);
  const across = lookOnAllShards<More, Queue>(of, (table) => textsOf(table).onCluster);
  return async (db, ...params) =>
    isOnCluster(db) ? across(db, ...params) : { rows: await plain(db, ...params), complete: true };
}

/** To the businesses in the parameter after the others. */
const limited = (text: string, kinds: readonly ParameterKind[]): string =>
  limitToBusinesses(text, `$${kinds.length + 1}`);

/** Whether a step has rows to write, given as JSON, and there are none. */
const isEmpty = (values: readonly unknown[]): boolean =>
  values.includes('[]') && !values.some((value) => typeof value === 'string' && value.startsWith('[{'));

interface Part {
  businessIds: string[];
  values: unknown[];
  /** The places of the part's keys in the first list of businesses, from 1. */
  places: number[];
}

/** Exported for its test. The businesses of a part are in the order of their ids, as everything that locks is. */
export function splitBy(
  groupOf: (businessId: string) => number,
  kinds: readonly ParameterKind[],
  params: readonly unknown[],
): Part[] {
  const lists = params.map((value, index) => businessesIn(kinds[index], value));
  const ids = [...new Set(lists.flatMap((list) => list ?? []))].sort();
  const groups = [...groupBy(ids, groupOf).values()];
  const first = lists.findIndex((_, index) => kinds[index] === 'businesses');
  return groups.map((businessIds) => {
    const among = new Set(businessIds);
    let chosen: number[] = [];
    const values = params.map((value, index) => {
      const kind = kinds[index];
      if (kind === 'businesses') chosen = placesIn(among, lists[index] ?? []);
      if (kind === 'businesses' || kind === 'parallel')
        return Array.isArray(value) ? chosen.map((at): unknown => value[at]) : value;
      return kind === 'rows' && groups.length > 1 ? rowsOf(among, value) : value;
    });
    return { businessIds, values, places: placesIn(among, lists[first] ?? []).map((at) => at + 1) };
  });
}

const placesIn = (among: ReadonlySet<string>, list: readonly string[]): number[] =>
  list.flatMap((id, at) => (among.has(id) ? [at] : []));

function businessesIn(kind: ParameterKind | undefined, value: unknown): string[] | null {
  if (kind === 'businesses' && Array.isArray(value)) return value.map(String);
  if (kind === 'business') return [String(value)];
  if (kind === 'rows') return parseRows(value).map(({ business_id }) => business_id);
  return null;
}

const rowsOf = (among: ReadonlySet<string>, json: unknown): string =>
  JSON.stringify(parseRows(json).filter(({ business_id }) => among.has(business_id)));

function parseRows(json: unknown): { business_id: string }[] {
  const rows: unknown = typeof json === 'string' ? JSON.parse(json) : [];
  return Array.isArray(rows) ? rows.filter(isRow) : [];
}

const isRow = (row: unknown): row is { business_id: string } =>
  typeof row === 'object' && row !== null && 'business_id' in row && typeof row.business_id === 'string';
