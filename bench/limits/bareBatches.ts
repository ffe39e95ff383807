import pg from 'pg';
import { SECOND } from '../../src/kit/clock.ts';
import { newId } from '../../src/kit/ids.ts';
import type { BenchDatabase } from '../environment.ts';
import { recipientEmail, SAMPLE_PUSH } from '../load/requests.ts';
import { after, timeOf } from '../measure.ts';
import { bareAnswer, bareFingerprint, MANY_PUSHES } from './bare.ts';

const BATCH = 100;
const CONNECTIONS = 2;

type BatchTarget = Pick<BenchDatabase, 'url' | 'businessId' | 'recipients'>;

/** The baseline for batches: the set-based statement alone, 100 pushes each, on two connections. */
export default async function openBareBatches({ url, businessId, recipients }: BatchTarget) {
  const pool = new pg.Pool({ connectionString: url, max: CONNECTIONS });
  const write = async (): Promise<void> => {
    const now = new Date();
    const items = Array.from({ length: BATCH }, (_, ordinal) => itemFor(now, ordinal, recipients));
    const values = [businessId, JSON.stringify(items), now];
    await pool.query({ name: 'pushes', text: MANY_PUSHES, values });
  };
  return {
    async run({ seconds }: { seconds: number }): Promise<{ perSecond: number }> {
      await Promise.all([write(), write()]);
      let written = 0;
      const isOver = after(seconds);
      const writeLoop = async (): Promise<void> => {
        for (; !isOver(); written += BATCH) await write();
      };
      const milliseconds = await timeOf(() => Promise.all(Array.from({ length: CONNECTIONS }, writeLoop)));
      return { perSecond: (written * SECOND) / milliseconds };
    },
  };
}

function itemFor(now: Date, ordinal: number, recipients: number) {
  const id = newId(now, ordinal);
  const email = recipientEmail(Math.floor(Math.random() * recipients));
  const asked = { recipient_email: email, ...SAMPLE_PUSH };
  return {
    id,
    send_id: newId(now, ordinal),
    email,
    ...SAMPLE_PUSH,
    key: id,
    fingerprint: `\\x${bareFingerprint(asked).toString('hex')}`,
    response: JSON.stringify(bareAnswer(id, asked, now)),
  };
}
