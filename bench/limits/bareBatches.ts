import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { newId } from '../../src/kit/ids.ts';
import { recipientEmail, SAMPLE_PUSH } from '../load/requests.ts';
import { bareAnswer, bareFingerprint } from './bareAnswer.ts';
import { MANY_PUSHES } from './bareSql.ts';

const BATCH = 100;
const CONNECTIONS = 2;

/** The baseline for batches: the set-based statement alone, 100 pushes each, on two connections. */
export default async function openBareBatches({ url, businessId, recipients }: Target) {
  const pool = new pg.Pool({ connectionString: url, max: CONNECTIONS });

  const write = async (): Promise<void> => {
    const now = new Date();
    const items = Array.from({ length: BATCH }, (_, ordinal) => itemFor(now, ordinal, recipients));
    await pool.query({
      name: 'pushes',
      text: MANY_PUSHES,
      values: [businessId, JSON.stringify(items), now],
    });
  };

  return {
    async run({ seconds }: { seconds: number }): Promise<{ perSecond: number }> {
      await Promise.all([write(), write()]);
      let written = 0;
      let over = false;
      const began = performance.now();
      const writeLoop = async (): Promise<void> => {
        while (!over) {
          await write();
          written += BATCH;
        }
      };
      const loops = [writeLoop(), writeLoop()];
      await sleep(seconds * 1_000);
      over = true;
      await Promise.all(loops);
      return { perSecond: written / ((performance.now() - began) / 1_000) };
    },
  };
}

interface Target {
  url: string;
  businessId: string;
  recipients: number;
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
