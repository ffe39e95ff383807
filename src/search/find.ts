import type { Queryable } from '../db/statement.ts';
import { countSegments, indexedUntil, newestSubjects, segmentsWith, wordsBeginning } from './sql.ts';
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
/** Of the words with one beginning, the first in the alphabet. Who types on gets fewer. */
const WORDS_OF_BEGINNING = 16;

/** Up to `limit` messages of a business whose subject has words with all of these beginnings, newest first, and where to go on. */
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
  const indexed = await wordsBeginning(db, businessId, longest, WORDS_OF_BEGINNING);
  const groups = longest.map((beginning) => indexed.filter((row) => row.beginning === beginning));
  const along = await rarestOf(db, businessId, groups, before);
  if (along === null) return { ids: [], nextBefore: null };
  const all = groups.flatMap((group, at) => group.map(({ word }) => ({ word, at })));
  const asked = [all.map(({ word }) => word), all.map(({ at }) => at), groups.length, along] as const;
  const found: string[] = [];
  let end = before;
  for (const count of SEGMENTS_READ) {
    const segments = await segmentsWith(db, businessId, ...asked, end, count, limit + 1);
    found.push(...segments.flatMap(({ ids }) => ids).filter((id) => id >= from));
    end = segments.at(-1)?.from_id ?? from;
    const isOver = segments.length < count || end <= from;
    if (isOver || found.length > limit) return cutAt(found, limit, isOver ? null : end);
  }
  return cutAt(found, limit, end);
}

/** The words of the group with the fewest segments; null: one of the groups has none. */
async function rarestOf(
  db: Queryable,
  businessId: string,
  groups: readonly (readonly { word: string }[])[],
  before: string,
) {
  const wordsOfGroups = groups.map((group) => group.map(({ word }) => word));
  const [first] = wordsOfGroups;
  if (wordsOfGroups.length === 1 && first !== undefined) return first.length === 0 ? null : first;
  const counts = await countSegments(
    db,
    businessId,
    [...new Set(wordsOfGroups.flat())],
    before,
    SEGMENTS_COUNTED,
  );
  const countOf = new Map(counts.map(({ word, segments }) => [word, segments]));
  const counted = wordsOfGroups.map((words) => ({
    words,
    segments: words.reduce((sum, word) => sum + (countOf.get(word) ?? 0), 0),
  }));
  const [rarest] = counted.toSorted((one, other) => one.segments - other.segments);
  return rarest === undefined || rarest.segments === 0 ? null : rarest.words;
}
