import { describe, expect, test } from 'vitest';
import { atEnd, thenClose } from '../../bench/cleanup.ts';
import { SAMPLE_PUSH } from '../../bench/load/requests.ts';
import openBullMq from '../../bench/peers/bullMq.ts';
import openGraphileWorker from '../../bench/peers/graphileWorker.ts';
import { PEER_TABLES, type Peer } from '../../bench/peers/peer.ts';
import openPgBoss from '../../bench/peers/pgBoss.ts';
import { hasRedis, startRedis } from '../../bench/peers/redis.ts';
import { testDatabase } from '../support/database.ts';

const openPeers: Record<string, (url: string) => Promise<Peer>> = {
  'pg-boss': (url) => openPgBoss({ url }),
  'graphile-worker': (url) => openGraphileWorker({ url }),
  BullMQ: async (url) => openBullMq({ url, redis: (await startRedis()).socket }),
};

/** More than a peer fetches at once. */
const BACKLOG = 600;

async function openPeer(open: (url: string) => Promise<Peer>) {
  const { url, pool, drop } = await testDatabase();
  atEnd(drop);
  await pool.query(PEER_TABLES);
  const peer = await open(url);
  const port = await peer.port();
  const push = async (key: string, recipient_email = `${key}@example.com`) => {
    const headers = { 'content-type': 'application/json', 'idempotency-key': key };
    const body = JSON.stringify({ recipient_email, ...SAMPLE_PUSH });
    const response = await fetch(`http://127.0.0.1:${port}/push`, { method: 'POST', headers, body });
    return { status: response.status, answer: await response.text() };
  };
  const messages = async () => {
    const { rows } = await pool.query('select id, recipient_email, state, provider_id from peer_messages');
    return rows;
  };
  return { peer, push, messages };
}

describe.each(Object.entries(openPeers))('what is compared with Waypost on %s', (name, open) => {
  test.skipIf(name === 'BullMQ' && !hasRedis())(
    'stores a push once per key, calls the provider once for each message, and records the outcome',
    () =>
      thenClose(async () => {
        const { peer, push, messages } = await openPeer(open);
        const keys = ['a', 'b', 'c', 'd', 'e'];
        const answers = await Promise.all([...keys, ...keys].map((key) => push(key)));
        expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]));
        expect(answers.slice(keys.length)).toEqual(answers.slice(0, keys.length));
        expect((await push('a', 'other@example.com')).status).toBe(409);

        await peer.work();
        await peer.drain();
        await peer.addBacklog({ count: BACKLOG });
        await peer.drain();
        expect(await push('a')).toEqual(answers[0]);
        answers.push(await push('f'));
        await peer.drain();

        const rows = await messages();
        const count = keys.length + BACKLOG + 1;
        const pushed = rows.filter(({ id }) => answers.some(({ answer }) => JSON.parse(answer).id === id));
        expect(pushed.map((row) => row.recipient_email).sort()).toEqual(
          [...keys, 'f'].map((key) => `${key}@example.com`),
        );
        expect(rows.map(({ state }) => state)).toEqual(Array(count).fill('accepted'));
        // The provider numbers its calls: there was no other.
        const calls = rows.map(({ provider_id }) => Number(provider_id.replace('instant-', '')));
        expect(calls.sort((a, b) => a - b)).toEqual(Array.from({ length: count }, (_, call) => call + 1));
      }),
  );
});
