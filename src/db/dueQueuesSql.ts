/*
 * The texts of db/dueQueues.ts. On one Postgres they walk along the index on due rows: one probe per queue, however long it is. A
 * cluster cannot walk across its shards: there they read each due row of the index, and group them.
 */

/** A table whose rows come due, with an index on the business, the queue and the due time of those that have one. */
export interface QueueTable {
  table: string;
  /** A row's queue within its business: the same expression as in the index. */
  queueOf: (row: string) => string;
  /** Without it nothing is found. It reads no sharded table. */
  condition?: string;
  /** The table whose row `o` has the queue's name as its id, and the columns that are read from it. */
  owner?: { table: string; columns: string };
  /** Columns that sum up the first due rows `r` of a queue. The caller's parameters begin at $6. */
  ofFirstRows?: string;
  /** Which queues `q`, with their owners `o`, tell how late the service is. */
  isOnTime: string;
}

/** A statement that is another one on a cluster. */
export interface TwoForms {
  onOnePostgres: string;
  onCluster: string;
}

export type LookParameter = string | number | Date | null;
/** In the order in which the texts number them. */
export type LookParameters<More extends readonly LookParameter[]> = readonly [
  afterBusiness: string,
  afterQueue: string | null,
  floor: Date,
  now: Date,
  max: number,
  ...more: More,
];

/** Enough to tell who works on a queue: rows under a lease come first. */
export const FIRST_ROWS = 64;

const EARLIEST = 'floor(extract(epoch from q.due_at) * 1000)::float8 as earliest';

const andColumns = (columns: string | undefined): string => (columns ? `, ${columns}` : '');

/** The queues `q` with their first rows. `rows`: which rows `r` there are. */
function walk(
  { table, queueOf }: QueueTable,
  { after = `'', ''`, rows = 'r.due_at is not null', maxSteps = '', condition = 'true' },
): string {
  const firstAfter = (key: string): string => `
      select r.business_id, ${queueOf('r')} as queue, r.due_at from ${table} r
      where ${rows} and (r.business_id, ${queueOf('r')}) > (${key})
      order by r.business_id, ${queueOf('r')}, r.due_at limit 1`;
  return `recursive q (business_id, queue, due_at, step) as (
    select first.*, 1 from (${firstAfter(after)}) first where ${condition}
    union all
    select next.*, q.step + 1 from q cross join lateral (${firstAfter('q.business_id, q.queue')}) next
    ${maxSteps && `where q.step < ${maxSteps}`}
  )`;
}

/** The same on a cluster. */
const grouped = ({ table, queueOf, ofFirstRows }: QueueTable, rows: string): string => `(
    select r.business_id, ${queueOf('r')} as queue, min(r.due_at) as due_at${andColumns(ofFirstRows)}
    from ${table} r where ${rows} group by 1, 2) q`;

/** `limit 1` keeps the plan on the primary key. */
const lookUpOwner = ({ owner }: QueueTable): string =>
  owner
    ? `cross join lateral (
    select * from ${owner.table} where business_id = q.business_id and id = q.queue limit 1) o`
    : '';

/** The same on a cluster, which allows no limit there. */
const joinOwner = ({ owner }: QueueTable): string =>
  owner ? `join ${owner.table} o on o.business_id = q.business_id and o.id = q.queue` : '';

const readFirstRows = ({ table, queueOf, ofFirstRows }: QueueTable): string =>
  ofFirstRows
    ? `cross join lateral (
    select ${ofFirstRows} from (
      select * from ${table} r
      where r.business_id = q.business_id and ${queueOf('r')} = q.queue and r.due_at between q.due_at and $4
      order by r.due_at limit ${FIRST_ROWS}) r) f`
    : '';

/**
 * The queues with due rows in the order of their keys after ($1, $2), from the due time $3 to $4. It takes at most $5 steps, each to
 * a queue that is due or not, and answers with the queue of the last of them in any case.
 */
const walkDueQueues = (of: QueueTable): string => `
  with ${walk(of, { after: '$1, $2', rows: 'r.due_at >= $3', maxSteps: '$5', condition: of.condition })}
  select q.business_id, q.queue, ${EARLIEST}, q.due_at <= $4 as is_due, q.step = $5 as is_cut${andColumns(of.owner?.columns)}${andColumns(of.ofFirstRows && 'f.*')}
  from q ${lookUpOwner(of)} ${readFirstRows(of)}
  where q.due_at <= $4 or q.step = $5
  order by q.business_id, q.queue`;

/** The same on a cluster: at most $5 queues that are due. */
const groupDueQueues = (of: QueueTable): string => `
  select q.*, ${EARLIEST}${andColumns(of.owner?.columns)}
  from ${grouped(of, `r.due_at between $3 and $4 and (r.business_id, ${of.queueOf('r')}) > ($1, $2)`)} ${joinOwner(of)}
  order by q.business_id, q.queue limit $5`;

export const dueQueuesTexts = (of: QueueTable): TwoForms => ({
  onOnePostgres: walkDueQueues(of),
  onCluster: groupDueQueues(of),
});

/** When the next row comes due after $1. */
export const nextDueTexts = (of: QueueTable): TwoForms => ({
  onOnePostgres: `
  with ${walk(of, {})}
  select min(next.due_at) as due_at from q cross join lateral (
    select r.due_at from ${of.table} r
    where r.business_id = q.business_id and ${of.queueOf('r')} = q.queue and r.due_at > $1 order by r.due_at limit 1) next`,
  onCluster: `select min(due_at) as due_at from ${of.table} where due_at > $1`,
});

/** Since when the longest-waiting row is due at $1. */
export const oldestDueTexts = (of: QueueTable): TwoForms => ({
  onOnePostgres: `
  with ${walk(of, {})}
  select min(q.due_at) as due_at from q ${lookUpOwner(of)} where q.due_at <= $1 and ${of.isOnTime}`,
  onCluster: `
  select min(q.due_at) as due_at from ${grouped({ ...of, ofFirstRows: '' }, 'r.due_at <= $1')} ${joinOwner(of)}
  where ${of.isOnTime}`,
});
