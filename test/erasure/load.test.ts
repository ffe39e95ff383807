import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ApiResponse, Shop } from '../support/shop.ts';
import { shortOrLong } from '../support/shortOrLong.ts';
import { eventually } from '../support/waiting.ts';
import {
  ACCEPT_WEBHOOK,
  completeErasure,
  type ErasureService,
  freshNumber,
  REFUSE_WEBHOOK,
  requestErasure,
  requestWhatsappErasure,
  startErasureService,
} from './erasureService.ts';
import { type Canary, tracesInDatabase } from './traces.ts';

/** Everything at once, again and again: pushes, batches, reads, replies, reports, webhooks, and erasures of the same person. */
let world: ErasureService;
beforeAll(async () => {
  world = await startErasureService();
});
afterAll(() => world.close());

const ERASURES = shortOrLong(4, 10);
const ANN = 'canary.ann@example.com';
const SUBJECT = 'Canary subject of Ann';
const CANARIES: Canary[] = [
  { name: 'address', text: ANN },
  { name: 'subject', text: SUBJECT },
  { name: 'reply', text: 'Canary reply of Ann' },
];

test('under concurrent load an erasure is complete: nothing of the person stays, nothing of others is deleted', async () => {
  const shop = await world.business({ smsMode: 'on_request', whatsappMode: 'on_request', credits: 100_000 });
  await world.addEndpoint(shop);
  const phone = freshNumber();
  CANARIES.push({ name: 'number', text: phone.slice(1) });
  const toAnn = {
    recipient_email: ANN,
    subject: SUBJECT,
    recipient_phone: phone,
    channels: ['sms', 'whatsapp'],
    whatsapp_opt_in: { source: 'checkout' },
    reference: 'A-1',
    order_status: 'shipped',
  };
  const strange: string[] = [];
  const bobs: string[] = [];
  let ids: string[] = [];
  let erasures = 0;

  /** Does one thing after the other until there were enough erasures. To come back later (503) is no fault on a busy machine. */
  const go = async (act: (round: number) => Promise<ApiResponse | undefined>): Promise<void> => {
    for (let round = 0; erasures < ERASURES; round += 1) {
      const answer = await act(round);
      if (answer && answer.status >= 500 && answer.status !== 503)
        strange.push(`${answer.status} ${answer.text}`);
    }
  };
  const pushed = (answer: ApiResponse, into: string[]): ApiResponse => {
    if (answer.status === 201) into.push(Object(answer.body).id);
    return answer;
  };
  const anyOf = (): string => ids[Math.floor(Math.random() * ids.length)] ?? 'none';

  await Promise.all([
    go(async () => pushed(await shop.push(toAnn), ids)),
    go(async () => pushed(await shop.push({ ...toAnn, kind: 'updateable', notify: true }), ids)),
    go(async () => {
      const send_at = new Date(Date.now() + 3_600_000).toISOString();
      return pushed(await shop.push({ ...toAnn, send_at }), ids);
    }),
    go(async () =>
      pushed(await shop.push({ recipient_email: 'bob@example.com', obsoletes: [anyOf()] }), bobs),
    ),
    go(async () =>
      shop.batch([toAnn, { recipient_email: 'carol@example.com' }, { ...toAnn, subject: `${SUBJECT}!` }]),
    ),
    go(async (round) =>
      round % 2 === 0 ? shop.post(`/api/v1/messages/${anyOf()}/retract`) : shop.get('/api/v1/messages'),
    ),
    go(async () => shop.post(`/api/v1/messages/${anyOf()}/sms`)),
    go(async () => {
      await eventually(() => world.receiveWhatsapp(phone, 'Canary reply of Ann'));
      return undefined;
    }),
    go(async (round) => {
      world.answerWebhooksWith(round % 3 === 0 ? ACCEPT_WEBHOOK : REFUSE_WEBHOOK);
      if (round % 5 === 0) return requestWhatsappErasure(shop, ANN);
      ids = ids.slice(-20);
      const answer = await requestErasure(shop, ANN);
      if (answer.status === 200) erasures += 1;
      return answer;
    }),
  ]);
  expect(strange).toEqual([]);

  await completeErasure(shop, ANN);
  expect(await tracesInDatabase(world.pool, CANARIES)).toEqual([]);
  world.answerWebhooksWith(ACCEPT_WEBHOOK);
  await world.advance({ hours: 20 });
  expect(await tracesInDatabase(world.pool, CANARIES)).toEqual([]);

  // Others have all that they were sent, and the credits still add up.
  const { rows } = await world.pool.query('select id from messages where id = any ($1)', [bobs]);
  expect(rows).toHaveLength(bobs.length);
  expect(await accountOf(shop)).toMatchObject({ reserved: 0, differs: 0 });
  const twice = await shop.post(`/api/v1/recipients/${encodeURIComponent(ANN)}/erase`, randomUUID());
  expect(twice.body).toMatchObject({ messages_deleted: 0, subscription_deleted: false });
  expect(world.loggedErrors()).toEqual([]);
}, 120_000);

async function accountOf({ businessId }: Shop): Promise<object | undefined> {
  const [account] = await world.rows(
    `select reserved, balance - (select sum(amount)::int from credit_ledger l where l.business_id = a.business_id) as differs
     from credit_accounts a where business_id = $1`,
    businessId,
  );
  return account;
}
