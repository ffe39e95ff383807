import { statementOfBusinesses } from '../db/perBusiness.ts';
import { statement } from '../db/statement.ts';
import { LISTED_MESSAGE, type ListedRow, withSends } from './sql.ts';

/*
 * Pages of the message list, newest first. Each source is one range of one index, from the id `from` (inclusive) to the id
 * `before` (exclusive). The bounds are always given: with optional ones, a generic plan would scan the index from its start.
 */

type Range = [businessId: string, from: string, before: string];

/** A range that has `place` as its order: the primary key, or an index that begins with the filter. */
const source = (condition: string, place: string): string =>
  `select *, ${place} as place from messages where ${condition} order by ${place} desc`;

const ALL = source('business_id = $1 and id >= $2 and id < $3', 'id');

const OF_RECIPIENT = source(
  `business_id = $1 and id >= $2 and id < $3
    and recipient_id = (select id from recipients where business_id = $1 and email = $4)`,
  'id',
);

/** As in the indexes messages_by_reference and messages_by_status, which no other expression can use. */
const placeWith = (column: string): string => `(business_id || ' ' || ${column} || ' ' || id)`;

const placedBetween = (column: string): string =>
  `${placeWith(column)} >= $1::text || ' ' || $4::text || ' ' || $2::text and ${placeWith(column)} < $1::text || ' ' || $4::text || ' ' || $3::text`;

const WITH_REFERENCE = source(
  `${placedBetween('reference')} and reference is not null`,
  placeWith('reference'),
);
/** Active messages are not in the index, so this is for the others. */
const WITH_STATUS = source(`${placedBetween('status')} and status <> 'active'`, placeWith('status'));

/** The limit comes before the joins, so that only the rows of the page are joined. */
const page = (rows: string): string => `
  select ${LISTED_MESSAGE} from (${rows}) m ${withSends('$1')} order by m.id desc`;

export const pageOfAll = statement<[...Range, limit: number], ListedRow>(page(`${ALL} limit $4`));

export const pageOfEnded = statementOfBusinesses<[...Range, status: string, limit: number], ListedRow>(
  ['business', 'same', 'same', 'same', 'same'],
  page(`${WITH_STATUS} limit $5`),
);

/** Messages by their ids; those that are gone have no row. */
export const listedByIds = statement<[businessId: string, ids: readonly string[]], ListedRow>(
  page(`select m.*, m.id as place from unnest($2::text[]) requested (id)
    cross join lateral (select * from messages where business_id = $1 and id = requested.id offset 0) m`),
);

/** Looks at no more than `scan` rows of the source for those that also pass the other filters. */
const filtered = (rows: string, filters: string): string =>
  page(`select * from (${rows} limit $5) scanned where ${filters} order by place desc limit $6`);

const IF_STATUS = '($7::text is null or status = $7)';

export const pageOfActive = statement<[...Range, scan: number, limit: number], ListedRow>(
  page(`select * from (${ALL} limit $4) scanned where status = 'active' order by place desc limit $5`),
);

export const pageOfRecipient = statement<
  [...Range, email: string, scan: number, limit: number, status: string | null],
  ListedRow
>(filtered(OF_RECIPIENT, IF_STATUS));

export const pageOfReference = statementOfBusinesses<
  [...Range, reference: string, scan: number, limit: number, status: string | null, email: string | null],
  ListedRow
>(
  ['business', 'same', 'same', 'same', 'same', 'same', 'same', 'same'],
  filtered(
    WITH_REFERENCE,
    `${IF_STATUS} and ($8::text is null or recipient_id = (
      select id from recipients where business_id = $1 and email = $8))`,
  ),
);

/** The id of the last row that a scan of `skipped` rows and one more looks at; none if the source is shorter. */
const scanEnd = (rows: string): string => `select id from (${rows} offset $5 limit 1) last`;

type Scanned = [...Range, key: string, skipped: number];

export const endOfScan = statement<[...Range, skipped: number], { id: string }>(
  `select id from (${ALL} offset $4 limit 1) last`,
);

export const endOfRecipientScan = statement<Scanned, { id: string }>(scanEnd(OF_RECIPIENT));

export const endOfReferenceScan = statementOfBusinesses<Scanned, { id: string }>(
  ['business', 'same', 'same', 'same', 'same'],
  scanEnd(WITH_REFERENCE),
);
