import { afterAll, beforeAll, expect, test } from 'vitest';
import { AFTER_EVERY_ID } from '../../src/kit/ids.ts';
import { indexSegment } from '../../src/search/indexer.ts';
import { startService, type TestService } from '../support/service.ts';
import { expectStatus, type Shop } from '../support/shop.ts';
import { eventually } from '../support/waiting.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

const rowsOf = async (shop: Shop): Promise<{ word: string; message_ids: string[] }[]> => {
  const { rows } = await service.pool.query(
    'select word, message_ids from subject_words where business_id = $1 order by word, from_id',
    [shop.businessId],
  );
  return rows;
};

test('messages are indexed by themselves, together, once they have waited for an hour', async () => {
  const shop = await service.business();
  const first = await shop.pushed({ subject: 'Red lamp' });
  const second = await shop.pushed({ subject: 'Blue lamp' });
  await service.advance({ minutes: 30 });
  expect(await rowsOf(shop)).toEqual([]);
  await service.advance({ minutes: 40 });
  await eventually(async () =>
    expect(await rowsOf(shop)).toEqual([
      { word: 'blue', message_ids: [second.id] },
      { word: 'lamp', message_ids: [second.id, first.id] },
      { word: 'red', message_ids: [first.id] },
    ]),
  );
});

test('each message is indexed once, also by several processes at the same moment', async () => {
  const shop = await service.business();
  for (let batch = 0; batch < 3; batch += 1) {
    await Promise.all(Array.from({ length: 8 }, () => shop.pushed({ subject: 'Same words' })));
    await Promise.all(
      Array.from({ length: 4 }, () => indexSegment(service.pool, shop.businessId, AFTER_EVERY_ID)),
    );
  }
  await indexSegment(service.pool, shop.businessId, AFTER_EVERY_ID);
  const ids = (await rowsOf(shop)).filter(({ word }) => word === 'same').flatMap((row) => row.message_ids);
  expect(ids).toHaveLength(24);
  expect(new Set(ids).size).toBe(24);
});

test('no word of an erased person stays, whatever runs at the same moment', async () => {
  const shop = await service.business();
  for (let round = 0; round < 5; round += 1) {
    const email = `gone${round}@example.com`;
    await shop.pushed({ subject: `Secret${round} word`, recipient_email: email });
    await shop.pushed({ subject: 'Kept word' });
    await Promise.all([
      indexSegment(service.pool, shop.businessId, AFTER_EVERY_ID),
      shop
        .post(`/api/v1/recipients/${encodeURIComponent(email)}/erase`)
        .then((answer) => expectStatus(200, answer)),
    ]);
  }
  await indexSegment(service.pool, shop.businessId, AFTER_EVERY_ID);
  const rows = await rowsOf(shop);
  expect([...new Set(rows.map(({ word }) => word))]).toEqual(['kept', 'word']);
  expect(rows.filter(({ word }) => word === 'word').flatMap((row) => row.message_ids)).toHaveLength(5);
});
