import type { Queryable } from '../db/statement.ts';
import { countSegments, indexedUntil, newestSubjects, segmentsWith } from './sql.ts';
import { hasWords } from './words.ts';

/** Messages between two ids: from `from` (inclusive) to `before` (exclusive). */
interface IdRange {
  from: string;
  before: string;
}

interface FoundIds {
  /** Newest first. */
  ids: string[];
  /** Where to go on; null: there are no more. */
  nextBefore: string | null;
}

/** The most messages behind the index that one call reads. */
const UNINDEXED_READ_MAX = 5_000;
/** A frequent word fills a page from the first, a rare one needs few in all; in between are words that are frequent apart. */
const SEGMENTS_READ = [1, 3, 16, 64] as const;
/** The words of a search that the index is asked for; the caller checks the others in the subject. */
const WORDS_LOOKED_UP = 4;
const SEGMENTS_COUNTED = 50;

/** Up to `limit` messages of a business whose subject has all of the words, newest first, and where to go on. */
export async function findBySubject(
  db: Queryable,
  businessId: string,
  words: readonly string[],
  { from, before }: IdRange,
  limit: number,
): Promise<FoundIds> {
  const [until] = await indexedUntil(db, businessId);
  const indexed = until?.id ?? '';
  const found: string[] = [];
  if (indexed < before) {
    const newest = await newestSubjects(db, businessId, indexed, before, UNINDEXED_READ_MAX);
    for (const { id, subject } of newest) if (id >= from && hasWords(subject, words)) found.push(id);
    const end = newest.at(-1);
    if (newest.length === UNINDEXED_READ_MAX && end) return cutAt(found, limit, end.id);
  }
  if (found.length > limit) return cutAt(found, limit, null);
  const indexedPart = await findIndexed(db, businessId, words, { from, before }, limit - found.length);
  return { ids: [...found, ...indexedPart.ids], nextBefore: indexedPart.nextBefore };
}

/** The first `limit`; the next call goes on behind them, or behind what was read. */
const cutAt = (ids: readonly string[], limit: number, end: string | null): FoundIds =>
  ids.length > limit
    ? { ids: ids.slice(0, limit), nextBefore: ids[limit - 1] ?? end }
    : { ids: [...ids], nextBefore: end };

async function findIndexed(
  db: Queryable,
  businessId: string,
  words: readonly string[],
  { from, before }: IdRange,
  limit: number,
): Promise<FoundIds> {
  const longest = words.toSorted((one, other) => other.length - one.length).slice(0, WORDS_LOOKED_UP);
  const along = await rarestOf(db, businessId, longest, before);
  if (along === null) return { ids: [], nextBefore: null };
  const found: string[] = [];
  let end = before;
  for (const count of SEGMENTS_READ) {
    const segments = await segmentsWith(db, businessId, longest, along, end, count, limit + 1);
    found.push(...segments.flatMap(({ ids }) => ids).filter((id) => id >= from));
    end = segments.at(-1)?.from_id ?? from;
    const isOver = segments.length < count || end <= from;
    if (isOver || found.length > limit) return cutAt(found, limit, isOver ? null : end);
  }
  return cutAt(found, limit, end);
}

/** The word with the fewest segments; null: one of the words has none. */
async function rarestOf(db: Queryable, businessId: string, words: readonly string[], before: string) {
  const [first] = words;
  if (words.length === 1 && first !== undefined) return first;
  const counts = await countSegments(db, businessId, words, before, SEGMENTS_COUNTED);
  const [rarest] = counts.toSorted((one, other) => one.segments - other.segments);
  return rarest === undefined || rarest.segments === 0 ? null : rarest.word;
}
