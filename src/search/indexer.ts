import type { Client, Pool } from '../db/pool.ts';
import { preferIndexes } from '../db/sql.ts';
import { transaction } from '../db/transaction.ts';
import { type Clock, earlier, HOUR, later, MINUTE, SECOND } from '../kit/clock.ts';
import { groupBy } from '../kit/groupBy.ts';
import { idBoundAt, lockNumber } from '../kit/ids.ts';
import type { Log } from '../kit/log.ts';
import { type Loop, startLoop } from '../kit/loop.ts';
import {
  businessesToIndex,
  forgetWords,
  indexedUntil,
  insertWords,
  oldestSubjects,
  type SubjectRow,
  setIndexedUntil,
  subjectsOfPerson,
  tryIndexLock,
  waitForIndexLock,
} from './sql.ts';
import { wordsOf } from './words.ts';

const SEGMENT_MESSAGES = 500;
/** Longer than the transaction of a push can take, so that no message commits behind the index. */
const SETTLED_MS = 2 * MINUTE;
/** A shop with few messages gets a segment an hour; until then a search reads its newest ones one by one. */
const WAITED_MS = HOUR;
const POLL_MS = 5 * SECOND;
const BUSINESSES_A_STEP = 200;
const SEGMENTS_A_STEP = 1;
/** Between two steps while there is more to index: 500 messages a second take less than 2 % of one core. */
const BETWEEN_STEPS_MS = SECOND;

const indexLock = (businessId: string): bigint => lockNumber('subject words', businessId);

/** Indexes the words of subjects behind the pushes. Any number of processes may run it at once. */
export function startIndexer({ pool, clock, log }: { pool: Pool; clock: Clock; log: Log }): Loop {
  let after = '';

  /** Goes round all businesses; resolves to whether there is more to index. */
  const step = async (): Promise<boolean> => {
    const now = clock.now();
    const settled = idBoundAt(earlier(now, SETTLED_MS));
    const waited = idBoundAt(earlier(now, WAITED_MS));
    const range = [settled, waited, SEGMENT_MESSAGES] as const;
    const businesses = await businessesToIndex(pool, after, BUSINESSES_A_STEP, ...range);
    const due = businesses.filter((business) => business.due).slice(0, SEGMENTS_A_STEP);
    for (const { id } of due) await indexSegment(pool, id, settled);
    const isRoundOver = businesses.length < BUSINESSES_A_STEP;
    // Goes on behind the last business that was indexed, so that a large one does not keep the others waiting.
    after = due.at(-1)?.id ?? (isRoundOver ? '' : (businesses.at(-1)?.id ?? ''));
    return due.length > 0 || !isRoundOver;
  };

  const loop = startLoop({
    name: 'subject index',
    clock,
    log,
    pollMs: POLL_MS,
    busy: () => 0,
    nextDue: async () => null,
    settled: async () => true,
    async step() {
      if (await step()) loop.plan(later(clock.now(), BETWEEN_STEPS_MS));
      return false;
    },
  });
  return loop;
}

/** Indexes the next messages of a business that are older than `settled`; resolves to how many. */
export const indexSegment = (pool: Pool, businessId: string, settled: string): Promise<number> =>
  transaction(pool, async (tx) => {
    await preferIndexes(tx);
    const [lock] = await tryIndexLock(tx, indexLock(businessId));
    if (!lock?.free) return 0;
    const [until] = await indexedUntil(tx, businessId);
    const messages = await oldestSubjects(tx, businessId, until?.id ?? '', settled, SEGMENT_MESSAGES);
    await writeSegment(tx, businessId, messages);
    return messages.length;
  });

async function writeSegment(tx: Client, businessId: string, messages: readonly SubjectRow[]): Promise<void> {
  const [first] = messages;
  const last = messages.at(-1);
  if (first === undefined || last === undefined) return;
  const pairs = messages
    .toReversed()
    .flatMap(({ id, subject }) => wordsOf(subject).map((word) => ({ id, word })));
  const rows = Array.from(
    groupBy(pairs, ({ word }) => word),
    ([word, found]) => ({
      business_id: businessId,
      word,
      from_id: first.id,
      message_ids: found.map(({ id }) => id),
    }),
  );
  await insertWords(tx, JSON.stringify(rows));
  await setIndexedUntil(tx, businessId, last.id);
}

/** Takes a person's messages out of the index. Call it before they are deleted, in the same transaction. */
export async function forgetSubjectsOf(tx: Client, businessId: string, recipientId: string): Promise<void> {
  await waitForIndexLock(tx, indexLock(businessId));
  for (let after = ''; ; ) {
    const messages = await subjectsOfPerson(tx, businessId, recipientId, after, SEGMENT_MESSAGES);
    const pairs = messages.flatMap(({ id, subject }) => wordsOf(subject).map((word) => ({ id, word })));
    const words = pairs.map(({ word }) => word);
    const ids = pairs.map(({ id }) => id);
    await forgetWords(tx, businessId, words, ids);
    const last = messages.at(-1);
    if (messages.length < SEGMENT_MESSAGES || last === undefined) return;
    after = last.id;
  }
}
