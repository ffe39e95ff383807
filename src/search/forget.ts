import type { Client } from '../db/pool.ts';
import { indexLock } from './indexer.ts';
import { forgetWords, subjectsOfPerson, waitForIndexLock } from './sql.ts';
import { wordsOf } from './words.ts';

const PAGE = 500;

/** Takes a person's messages out of the index. Call it before they are deleted, in the same transaction. */
export async function forgetSubjectsOf(tx: Client, businessId: string, recipientId: string): Promise<void> {
  await waitForIndexLock(tx, indexLock(businessId));
  for (let after = ''; ; ) {
    const messages = await subjectsOfPerson(tx, businessId, recipientId, after, PAGE);
    const pairs = messages.flatMap(({ id, subject }) => wordsOf(subject).map((word) => ({ id, word })));
    await forgetWords(
      tx,
      businessId,
      pairs.map(({ word }) => word),
      pairs.map(({ id }) => id),
    );
    const last = messages.at(-1);
    if (messages.length < PAGE || last === undefined) return;
    after = last.id;
  }
}
