import { afterAll, beforeAll, expect, test } from 'vitest';
import { SESSION_LIFETIME_MS } from '../../src/config/limits.ts';
import { HOUR } from '../../src/kit/clock.ts';
import { randomToken } from '../../src/kit/ids.ts';
import {
  type InboxRecipient,
  type InboxServer,
  postForm,
  signInToInbox,
  startInboxServer,
} from './inboxServer.ts';

let shop: InboxServer;
let sources = 0;
beforeAll(async () => {
  shop = await startInboxServer();
});
afterAll(() => shop.close());

/** Each from a source of its own, so that only what a test is about is throttled. */
const ask = async (fields: Record<string, string>, headers: Record<string, string> = {}) => {
  sources += 1;
  return shop.app.inject({
    method: 'POST',
    url: '/inbox/new-link',
    remoteAddress: `198.51.${Math.floor(sources / 250)}.${(sources % 250) + 1}`,
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
    payload: new URLSearchParams(fields).toString(),
  });
};
const mailsTo = (person: InboxRecipient) =>
  shop.rows(
    `select channel, purpose, state, message_id, about, due_at = created_at as at_once from sends
     where business_id = $1 and recipient_id = $2`,
    person.businessId,
    person.id,
  );
const QUEUED = {
  channel: 'email',
  purpose: 'new_link',
  state: 'queued',
  message_id: null,
  about: null,
  at_once: true,
};

test('a person with an expired link gets a new one by mail, and it is sent at once', async () => {
  const person = await (await shop.business()).recipient({ email: 'mari@example.org' });
  const link = await person.link(null, { expired: true });
  const woken = shop.wakeups.sends;
  await ask({ link, email: ' Mari@Example.ORG ' });
  expect(await mailsTo(person)).toEqual([QUEUED]);
  expect(shop.wakeups.sends).toBe(woken + 1);
});

test('the answer is the same for everyone', async () => {
  const business = await shop.business();
  const person = await business.recipient();
  const link = await person.link(null, { expired: true });
  const answers = [
    await ask({ link, email: person.email }),
    await ask({ link, email: 'stranger@example.org' }),
    await ask({ link, email: 'no address' }),
    await ask({ link, email: '' }),
    await ask({ link }),
    await ask({ link: randomToken(), email: person.email }),
    await ask({ link: 'nonsense', email: person.email }),
    await ask({ email: person.email }),
  ];
  expect(new Set(answers.map(({ statusCode, body }) => `${statusCode} ${body}`)).size).toBe(1);
  expect(answers[0]?.statusCode).toBe(200);
  expect(await mailsTo(person)).toEqual([QUEUED]);
});

test('the same address with another business gets nothing from this one’s link', async () => {
  const [ours, theirs] = [await shop.business(), await shop.business()];
  const here = await ours.recipient({ email: 'jaan@example.org' });
  const there = await theirs.recipient({ email: 'jaan@example.org' });
  await ask({ link: await here.link(null, { expired: true }), email: 'jaan@example.org' });
  expect(await mailsTo(here)).toHaveLength(1);
  expect(await mailsTo(there)).toEqual([]);
});

test('a person whose session has expired can ask for a new link from that page', async () => {
  const person = await (await shop.business()).recipient();
  const reader = await signInToInbox(shop, await person.link(null));
  shop.advance(SESSION_LIFETIME_MS + 1);
  expect((await reader.get('/inbox')).body).toContain('Send me a new link');
  await ask({ email: person.email }, { cookie: reader.cookie });
  expect(await mailsTo(person)).toEqual([QUEUED]);
});

test('an address gets at most three an hour, from all clients together, also at the same moment', async () => {
  const person = await (await shop.business()).recipient();
  const link = await person.link(null, { expired: true });
  await Promise.all(Array.from({ length: 12 }, () => ask({ link, email: person.email })));
  expect(await mailsTo(person)).toHaveLength(3);
  shop.advance(HOUR + 1);
  await ask({ link, email: person.email });
  expect(await mailsTo(person)).toHaveLength(4);
});

test('one source asks ten times an hour at most', async () => {
  const statuses: number[] = [];
  for (let count = 0; count < 12; count += 1) {
    const answer = await shop.app.inject({
      method: 'POST',
      url: '/inbox/new-link',
      remoteAddress: '192.0.2.77',
    });
    statuses.push(answer.statusCode);
  }
  expect(statuses).toEqual([...Array.from({ length: 10 }, () => 200), 429, 429]);
});

test('another site cannot have someone’s browser ask', async () => {
  const person = await (await shop.business()).recipient();
  const link = await person.link(null, { expired: true });
  const answer = await ask({ link, email: person.email }, { 'sec-fetch-site': 'cross-site' });
  expect(answer.statusCode).toBe(403);
  expect(await mailsTo(person)).toEqual([]);
});

test('a form that is far too long is refused, and so is one that is none', async () => {
  expect((await postForm(shop, '/inbox/new-link', { email: 'x'.repeat(5_000) })).statusCode).toBe(413);
  const json = await shop.app.inject({
    method: 'POST',
    url: '/inbox/new-link',
    payload: { email: 'a@b.example' },
  });
  expect(json.statusCode).toBe(415);
  expect(json.headers['content-type']).toMatch(/^text\/html/);
});
