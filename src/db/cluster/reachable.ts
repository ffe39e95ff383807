import pg from 'pg';
import { monotonicMs, SECOND } from '../../kit/clock.ts';
import type { LookParameter, LookParameters, QueueTable } from '../dueQueuesSql.ts';
import { isUnavailable } from '../errors.ts';
import { isOnCluster, shardsOf } from '../pool.ts';
import { type Queryable, statement, statementOnCluster } from '../statement.ts';
import { askWorkers } from './sql.ts';

/*
 * A statement across all shards fails when one worker of the cluster is down or silent. What looks for due work, or whose key it is,
 * must not: then it asks each worker by itself, and leaves out those that do not answer.
 */

/** Each worker takes a connection of its own, which a look for each new push would open again and again. */
const EACH_WORKER_EVERY_MS = SECOND / 2;

interface ShardsAnswer<Row> {
  rows: Row[];
  /** Whether every shard answered. */
  complete: boolean;
}

/** `is_cut`: the look had reached its limit there. */
export type Visited<Queue> = Queue & { is_due: boolean; is_cut: boolean };

export type QueuesLook<More extends readonly LookParameter[], Queue> = (
  db: Queryable,
  ...params: LookParameters<More>
) => Promise<ShardsAnswer<Visited<Queue>>>;

/** A look at the queues of all shards. Its rows are numbers, text and booleans, since those of one shard arrive as JSON. */
export function lookOnAllShards<
  More extends readonly LookParameter[],
  Queue extends { business_id: string; queue: string } & pg.QueryResultRow,
>(of: QueueTable, textOf: (of: QueueTable) => string): QueuesLook<More, Queue> {
  const readCondition = statementOnCluster<[], { holds: boolean }>(`select ${of.condition ?? true} as holds`);
  const all = statementOnCluster<LookParameters<More>, Queue>(textOf(of));
  const ofShard = textOf({
    ...of,
    table: '@table1@',
    ...(of.owner && { owner: { ...of.owner, table: '@table2@' } }),
  });
  let askedEachAt = Number.NEGATIVE_INFINITY;
  const look = async (db: Queryable, params: LookParameters<More>): Promise<ShardsAnswer<Queue>> => {
    if (monotonicMs() - askedEachAt < EACH_WORKER_EVERY_MS) return { rows: [], complete: false };
    const answer = await fromReachable<Queue>(db, of, ofShard, params, () => all(db, ...params));
    if (!answer.complete) askedEachAt = monotonicMs();
    answer.rows.sort((a, b) => compareText(a.business_id, b.business_id) || compareText(a.queue, b.queue));
    return answer;
  };
  return async (db, ...params) => {
    const [condition, { rows, complete }] = await Promise.all([
      of.condition === undefined ? [{ holds: true }] : readCondition(db),
      look(db, params),
    ]);
    const [, , , , max] = params;
    const visited = rows.slice(0, condition[0]?.holds ? max : 0);
    return {
      rows: visited.map((queue, at) => ({ ...queue, is_due: true, is_cut: at === max - 1 })),
      complete,
    };
  };
}

/** `textOf` gets the names of a table and of the one that its rows refer to. */
export function lookUpOnAllShards<Params extends readonly LookParameter[], Row extends pg.QueryResultRow>(
  table: string,
  owner: string,
  textOf: (table: string, owner: string) => string,
): (db: Queryable, ...params: Params) => Promise<ShardsAnswer<Row>> {
  const all = statement<Params, Row>(textOf(table, owner));
  const ofShard = textOf('@table1@', '@table2@');
  return (db, ...params) =>
    fromReachable(db, { table, owner: { table: owner } }, ofShard, params, () => all(db, ...params));
}

async function fromReachable<Row>(
  db: Queryable,
  { table, owner }: { table: string; owner?: { table: string } },
  textOfShard: string,
  params: readonly LookParameter[],
  readAll: () => Promise<Row[]>,
): Promise<ShardsAnswer<Row>> {
  try {
    return { rows: await readAll(), complete: true };
  } catch (error) {
    if (!isOnCluster(db) || !isUnavailable(error)) throw error;
  }
  const silent = [...shardsOf(db).silent];
  const query = withLiterals(textOfShard, params);
  const answers = await askWorkers(db, table, owner?.table ?? table, query, silent);
  const answered = answers.filter(({ success }) => success);
  return {
    rows: answered.flatMap(({ result }): Row[] => JSON.parse(result)),
    complete: silent.length === 0 && answered.length === answers.length,
  };
}

const compareText = (a: string, b: string): number => (a < b ? -1 : Number(a > b));

/** As Citus's functions take it: a format with the names of the shards, and no parameters. */
const withLiterals = (text: string, params: readonly LookParameter[]): string =>
  text
    .replace(/\$(\d+)/g, (_, number) => literalOf(params[Number(number) - 1] ?? null))
    .replaceAll('%', '%%')
    .replace(/@table(\d)@/g, '%$1$$s');

const literalOf = (value: LookParameter): string =>
  value === null || typeof value === 'number'
    ? String(value)
    : pg.escapeLiteral(typeof value === 'string' ? value : value.toISOString());
