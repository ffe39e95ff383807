import { afterAll, beforeAll, expect, test } from 'vitest';
import { LINK_LIFETIME_MS, SESSION_LIFETIME_MS } from '../../src/config/limits.ts';
import { randomToken, sha256 } from '../../src/kit/ids.ts';
import { linkOf, signInByLink } from '../../src/pages/inbox/arrival/links.ts';
import { shortOrLong } from '../support/shortOrLong.ts';
import { type InboxRecipient, type InboxServer, signInToInbox, startInboxServer } from './inboxServer.ts';

/** A hundred in each. */
const ROUNDS_OF_GUESSES = shortOrLong(10, 100);

let shop: InboxServer;
beforeAll(async () => {
  shop = await startInboxServer();
});
afterAll(() => shop.close());

const newPerson = async (): Promise<InboxRecipient> => (await shop.business()).recipient();
const eventsOf = (person: InboxRecipient) =>
  shop.rows(
    `select type, data from events where business_id = $1 and recipient_id = $2`,
    person.businessId,
    person.id,
  );
const sessionsOf = (person: InboxRecipient) =>
  shop.rows(`select token_hash from inbox_sessions where business_id = $1`, person.businessId);

test('following a link signs in, opens the message it was about and tells the merchant', async () => {
  const person = await newPerson();
  const message = await person.message({ reference: '#1042', body: 'It left us today.' });
  const token = await person.link(message);

  const arrival = await shop.app.inject({ method: 'POST', url: `/i/${token}` });

  expect(arrival.statusCode).toBe(303);
  expect(arrival.headers.location).toBe(`/inbox?open=${message}#at-${message}`);
  const cookie = String(arrival.headers['set-cookie']).split(';')[0] ?? '';
  const inbox = await shop.app.inject({ url: `/inbox?open=${message}`, headers: { cookie } });
  expect(inbox.statusCode).toBe(200);
  expect(inbox.body).toContain('It left us today.');
  expect(await eventsOf(person)).toEqual([
    {
      type: 'message.opened',
      data: {
        message_id: message,
        recipient_email: person.email,
        subject: 'Your order is on its way',
        reference: '#1042',
        channel: 'email',
      },
    },
  ]);
});

test('coming twice is two sessions, and one opening', async () => {
  const person = await newPerson();
  const token = await person.link(await person.message());
  const first = await signInToInbox(shop, token);
  const second = await signInToInbox(shop, token);
  expect(first.cookie).not.toBe(second.cookie);
  expect(await sessionsOf(person)).toHaveLength(2);
  expect(await eventsOf(person)).toHaveLength(1);
});

test('fifty arrivals at once are one opening', async () => {
  const person = await newPerson();
  const token = await person.link(await person.message());
  await Promise.all(Array.from({ length: 50 }, () => signInToInbox(shop, token)));
  expect(await eventsOf(person)).toHaveLength(1);
});

test.each(['GET', 'HEAD'] as const)(
  '%s of a link, as scanners make it, writes down the fetch and changes nothing else',
  async (method) => {
    const person = await newPerson();
    const message = await person.message({ subject: 'A secret subject', body: 'A secret text' });
    const armed = await person.send({
      messageId: message,
      channel: 'sms',
      state: 'held',
      escalateMinutes: 30,
    });
    const token = await person.link(message);

    const page = await shop.app.inject({ method, url: `/i/${token}` });
    await shop.app.inject({ method, url: `/i/${token}` });

    expect(page.statusCode).toBe(200);
    expect(page.headers['set-cookie']).toBeUndefined();
    expect(page.body).not.toContain('secret');
    expect(await sessionsOf(person)).toEqual([]);
    expect(await eventsOf(person)).toEqual([]);
    expect(await shop.rows(`select state from sends where id = $1`, armed)).toEqual([{ state: 'held' }]);
    const [row] = await shop.rows(
      `select m.opened_at, m.fetched_at = l.fetched_at as fetched from messages m join links l on l.message_id = m.id where m.id = $1`,
      message,
    );
    expect(row).toEqual({ opened_at: null, fetched: true });
  },
);

test('the first fetch is the one that is kept', async () => {
  const person = await newPerson();
  const message = await person.message();
  const token = await person.link(message);
  const fetchedAt = async () =>
    (await shop.rows(`select fetched_at from messages where id = $1`, message))[0];
  await shop.app.inject({ url: `/i/${token}` });
  const first = await fetchedAt();
  await shop.app.inject({ url: `/i/${token}` });
  expect(await fetchedAt()).toEqual(first);
});

test('opening by the link cancels the nudge held for an unread message, and its fallback text', async () => {
  const person = await newPerson();
  const message = await person.message();
  const whatsapp = await person.send({
    messageId: message,
    channel: 'whatsapp',
    state: 'held',
    escalateMinutes: 30,
  });
  const fallback = await person.send({
    messageId: message,
    channel: 'sms',
    state: 'held',
    fallbackOf: whatsapp,
  });
  const email = await person.send({ messageId: message, channel: 'email', state: 'queued' });
  const elsewhere = await person.send({
    messageId: await person.message(),
    channel: 'sms',
    state: 'held',
    escalateMinutes: 30,
  });

  await signInToInbox(shop, await person.link(message));

  const states = await shop.rows(
    `select id, state, due_at from sends where business_id = $1`,
    person.businessId,
  );
  expect(new Map(states.map(({ id, state }) => [id, state]))).toEqual(
    new Map([
      [whatsapp, 'cancelled'],
      [fallback, 'cancelled'],
      [email, 'queued'],
      [elsewhere, 'held'],
    ]),
  );
});

test('a link cannot be told from what was never a link once it has expired, and neither signs in', async () => {
  const person = await newPerson();
  const expired = await person.link(await person.message(), { expired: true });
  const unknown = randomToken();
  const answers = await Promise.all(
    [expired, unknown].flatMap((token) =>
      (['GET', 'POST'] as const).map(async (method) => {
        const answer = await shop.app.inject({ method, url: `/i/${token}` });
        const headers = Object.entries(answer.headers).filter(([name]) => name !== 'date');
        return JSON.stringify([answer.statusCode, headers, answer.body.replaceAll(token, 'TOKEN')]);
      }),
    ),
  );
  expect(new Set(answers).size).toBe(1);
  expect(answers[0]).toContain('Send me a new link');
  expect(await sessionsOf(person)).toEqual([]);
  expect(await eventsOf(person)).toEqual([]);
});

test('a link works for 30 days and a session for 7', async () => {
  const other = await startInboxServer();
  const person = await (await other.business()).recipient();
  const token = await person.link(await person.message());
  const reader = await signInToInbox(other, token);
  other.advance(SESSION_LIFETIME_MS - 60_000);
  expect((await reader.get('/inbox')).statusCode).toBe(200);
  other.advance(120_000);
  expect((await reader.get('/inbox')).body).toContain('You were signed out');
  other.advance(LINK_LIFETIME_MS - SESSION_LIFETIME_MS - 120_000);
  expect((await other.app.inject({ url: `/i/${token}` })).statusCode).toBe(200);
  other.advance(120_000);
  expect((await other.app.inject({ url: `/i/${token}` })).statusCode).toBe(404);
  await other.close();
});

test('an erasure ends links and sessions', async () => {
  const person = await newPerson();
  const token = await person.link(await person.message());
  const reader = await signInToInbox(shop, token);
  for (const table of ['events', 'inbox_sessions', 'links', 'messages']) {
    await shop.rows(`delete from ${table} where business_id = $1`, person.businessId);
  }
  await shop.rows(`delete from recipients where business_id = $1`, person.businessId);
  expect((await reader.get('/inbox')).statusCode).toBe(403);
  expect((await reader.submit('/inbox/choices/stop-texts')).statusCode).toBe(403);
  expect((await shop.app.inject({ method: 'POST', url: `/i/${token}` })).statusCode).toBe(404);
});

test('a person erased between finding the link and using it is not signed in', async () => {
  const person = await newPerson();
  const link = await linkOf(shop.database.pool, await person.link(await person.message()), shop.now());
  for (const table of ['links', 'messages', 'recipients']) {
    await shop.rows(`delete from ${table} where business_id = $1`, person.businessId);
  }
  expect(link && (await signInByLink(shop.database.pool, link, shop.now()))).toBeNull();
});

test('a link leads into the inbox of its own business alone', async () => {
  const [ours, theirs] = [await shop.business(), await shop.business({ name: 'Another' })];
  const [here, there] = [
    await ours.recipient({ email: 'mari@example.org' }),
    await theirs.recipient({ email: 'mari@example.org' }),
  ];
  const foreign = await there.message({ subject: 'Foreign subject', opened: true });
  const reader = await signInToInbox(shop, await here.link(await here.message()));
  for (const path of ['/inbox', `/inbox?open=${foreign}`, `/inbox?before=${foreign}`]) {
    expect((await reader.get(path)).body).not.toContain('Foreign');
  }
  expect((await reader.submit(`/inbox/messages/${foreign}/open`)).statusCode).toBe(404);
});

test('another person of the same business sees nothing either', async () => {
  const business = await shop.business();
  const [mari, jaan] = [await business.recipient(), await business.recipient()];
  const foreign = await jaan.message({ subject: 'For Jaan' });
  const reader = await signInToInbox(shop, await mari.link(await mari.message()));
  expect((await reader.get(`/inbox?open=${foreign}`)).body).not.toContain('Jaan');
  expect((await reader.submit(`/inbox/messages/${foreign}/open`)).statusCode).toBe(404);
  expect(await shop.rows(`select opened_at from messages where id = $1`, foreign)).toEqual([
    { opened_at: null },
  ]);
});

test('tokens are kept as hashes alone, and no log line holds one', async () => {
  const person = await newPerson();
  const token = await person.link(await person.message());
  const { cookie } = await signInToInbox(shop, token);
  const session = cookie.split('=')[1] ?? '';
  expect(await sessionsOf(person)).toEqual([{ token_hash: sha256(session) }]);
  expect(JSON.stringify(shop.logged)).not.toContain(token);
  expect(JSON.stringify(shop.logged)).not.toContain(session);
});

test('a form from another site signs nobody in', async () => {
  const person = await newPerson();
  const token = await person.link(await person.message());
  for (const headers of [{ 'sec-fetch-site': 'cross-site' }, { origin: 'https://evil.example' }]) {
    const answer = await shop.app.inject({ method: 'POST', url: `/i/${token}`, headers });
    expect(answer.statusCode).toBe(403);
    expect(answer.headers['set-cookie']).toBeUndefined();
  }
  expect(await eventsOf(person)).toEqual([]);
});

test(`of ${100 * ROUNDS_OF_GUESSES} guesses from one source all but a handful are throttled, and right links work all the same`, async () => {
  const person = await newPerson();
  const token = await person.link(await person.message());
  const expired = await person.link(null, { expired: true });
  let answered = 0;
  for (let round = 0; round < ROUNDS_OF_GUESSES; round += 1) {
    const answers = await Promise.all(
      Array.from({ length: 100 }, () =>
        shop.app.inject({ url: `/i/${randomToken()}`, remoteAddress: '203.0.113.9' }),
      ),
    );
    answered += answers.filter(({ statusCode }) => statusCode === 404).length;
  }
  expect(answered).toBeLessThan(200);
  for (const dead of [randomToken(), expired]) {
    const throttled = await shop.app.inject({ url: `/i/${dead}`, remoteAddress: '203.0.113.9' });
    expect(throttled.statusCode).toBe(429);
    expect(Number(throttled.headers['retry-after'])).toBeGreaterThan(0);
    expect(throttled.body).toContain('Send me a new link');
  }
  for (const remoteAddress of ['203.0.113.9', '203.0.113.10'])
    expect((await shop.app.inject({ url: `/i/${token}`, remoteAddress })).statusCode).toBe(200);
});
