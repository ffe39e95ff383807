import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { unsubscribeTokens } from '../../src/kit/idToken.ts';
import { SECRET_KEY } from '../support/secretKey.ts';
import {
  type InboxRecipient,
  type InboxServer,
  type InboxSession,
  postForm,
  signInToInbox,
  startInboxServer,
} from './inboxServer.ts';

let shop: InboxServer;
beforeAll(async () => {
  shop = await startInboxServer();
});
afterAll(() => shop.close());

const PHONE = '+37255500134';

async function reading(
  facts: { phone?: string } = { phone: PHONE },
): Promise<{ person: InboxRecipient; reader: InboxSession }> {
  const person = await (await shop.business()).recipient(facts);
  return { person, reader: await signInToInbox(shop, await person.link(null)) };
}
const stateOf = async (person: InboxRecipient) =>
  (
    await shop.rows(
      `select sms_status, sms_stopped_by, whatsapp_status, unsubscribed_at is not null as unsubscribed from recipients where id = $1`,
      person.id,
    )
  )[0];
const stopsOf = (person: InboxRecipient) =>
  shop.rows(`select channel, number_hash, made_by from stops where business_id = $1`, person.businessId);
const sendState = async (id: string) =>
  (await shop.rows(`select state, reason, reserved, due_at from sends where id = $1`, id))[0];
const reservedBy = async (person: InboxRecipient) =>
  (await shop.rows(`select reserved from credit_accounts where business_id = $1`, person.businessId))[0]
    ?.reserved;
const reserve = (person: InboxRecipient, credits: number) =>
  shop.rows(`update credit_accounts set reserved = $2 where business_id = $1`, person.businessId, credits);
const consentOf = (person: InboxRecipient) =>
  shop.rows(`select channel, action, source from consent_log where recipient_id = $1 order by id`, person.id);
const notSentOf = (person: InboxRecipient) =>
  shop.rows(
    `select type, data->>'reason' as reason from events where recipient_id = $1 order by id`,
    person.id,
  );

const CALLED_OFF = { state: 'skipped', reserved: false, due_at: null };

describe('stopping texts', () => {
  test('holds at once, also for what already waits, which costs nothing', async () => {
    const { person, reader } = await reading();
    const [first, second] = [await person.message(), await person.message()];
    const queued = await person.send({ messageId: first, channel: 'sms', state: 'queued', reserved: 1 });
    const armed = await person.send({
      messageId: second,
      channel: 'sms',
      state: 'held',
      escalateMinutes: 30,
    });
    const email = await person.send({ messageId: first, channel: 'email', state: 'queued' });
    const gone = await person.send({ messageId: await person.message(), channel: 'sms', state: 'accepted' });
    await reserve(person, 1);

    expect((await reader.submit('/inbox/choices/stop-texts')).headers.location).toBe('/inbox/choices');

    expect(await stateOf(person)).toMatchObject({
      sms_status: 'stopped',
      sms_stopped_by: 'inbox',
      whatsapp_status: 'active',
    });
    expect(await stopsOf(person)).toEqual([
      { channel: 'sms', number_hash: shop.hasher('phone', PHONE), made_by: 'inbox' },
    ]);
    expect(await sendState(queued)).toEqual({ ...CALLED_OFF, reason: 'stopped' });
    expect(await sendState(armed)).toEqual({ ...CALLED_OFF, reason: 'stopped' });
    expect(await sendState(email)).toMatchObject({ state: 'queued' });
    expect(await sendState(gone)).toMatchObject({ state: 'accepted' });
    expect(await reservedBy(person)).toBe(0);
    expect(await consentOf(person)).toEqual([{ channel: 'sms', action: 'stopped', source: 'inbox' }]);
    expect((await reader.get('/inbox/choices')).body).toContain('Answering START does not bring it back');
  });

  test('can be undone here', async () => {
    const { person, reader } = await reading();
    await reader.submit('/inbox/choices/stop-texts');
    await reader.submit('/inbox/choices/resume-texts');
    expect(await stateOf(person)).toMatchObject({ sms_status: 'active', sms_stopped_by: null });
    expect(await stopsOf(person)).toEqual([]);
    expect((await reader.get('/inbox/choices')).body).toContain('+372 •••• 0134');
  });

  test.each([
    ['text', 'send START'],
    ['dashboard', 'please ask the shop'],
  ])('a stop made by %s is not undone here', async (maker, words) => {
    const { person, reader } = await reading();
    await shop.rows(
      `update recipients set sms_status = 'stopped', sms_stopped_by = $2 where id = $1`,
      person.id,
      maker,
    );
    expect((await reader.get('/inbox/choices')).body).toContain(words);
    await reader.submit('/inbox/choices/resume-texts');
    expect(await stateOf(person)).toMatchObject({ sms_status: 'stopped', sms_stopped_by: maker });
  });

  test('a stop over one that was made by text becomes the firmer one', async () => {
    const { person, reader } = await reading();
    await shop.rows(
      `insert into stops values ($1, 'sms', $2, 'text', now())`,
      person.businessId,
      shop.hasher('phone', PHONE),
    );
    await reader.submit('/inbox/choices/stop-texts');
    expect(await stopsOf(person)).toMatchObject([{ made_by: 'inbox' }]);
  });

  test('without a number there is nothing to stop', async () => {
    const { person, reader } = await reading({});
    expect((await reader.get('/inbox/choices')).body).toContain('no number');
    await reader.submit('/inbox/choices/stop-texts');
    expect(await stateOf(person)).toMatchObject({ sms_status: 'none' });
  });
});

describe('stopping WhatsApp', () => {
  test('asks first and says that it is for good, then holds at once', async () => {
    const { person, reader } = await reading();
    const message = await person.message();
    const whatsapp = await person.send({
      messageId: message,
      channel: 'whatsapp',
      state: 'queued',
      reserved: 1,
    });
    const fallback = await person.send({
      messageId: message,
      channel: 'sms',
      state: 'held',
      fallbackOf: whatsapp,
    });
    await reserve(person, 1);
    expect((await reader.get('/inbox/choices/stop-whatsapp')).body).toContain('This is permanent.');
    expect(await stateOf(person)).toMatchObject({ whatsapp_status: 'active' });

    await reader.submit('/inbox/choices/stop-whatsapp');

    expect(await stateOf(person)).toMatchObject({ whatsapp_status: 'stopped', sms_status: 'active' });
    expect(await stopsOf(person)).toMatchObject([{ channel: 'whatsapp', made_by: 'inbox' }]);
    expect(await sendState(whatsapp)).toEqual({ ...CALLED_OFF, reason: 'stopped' });
    expect(await sendState(fallback)).toMatchObject({ state: 'cancelled' });
    expect(await reservedBy(person)).toBe(0);
    expect((await reader.get('/inbox/choices')).body).toContain('for good');
  });
});

describe('unsubscribing', () => {
  test('asks first and says that it is for good, then ends every channel at once', async () => {
    const { person, reader } = await reading();
    const message = await person.message();
    const email = await person.send({ messageId: message, channel: 'email', state: 'queued' });
    const text = await person.send({ messageId: message, channel: 'sms', state: 'queued', reserved: 2 });
    const armed = await person.send({
      messageId: message,
      channel: 'whatsapp',
      state: 'held',
      escalateMinutes: 5,
    });
    await reserve(person, 2);
    expect((await reader.get('/inbox/choices/unsubscribe')).body).toContain('This is permanent.');
    expect(await stateOf(person)).toMatchObject({ unsubscribed: false });

    await reader.submit('/inbox/choices/unsubscribe');

    expect(await stateOf(person)).toMatchObject({ unsubscribed: true });
    for (const send of [email, text, armed])
      expect(await sendState(send)).toEqual({ ...CALLED_OFF, reason: 'unsubscribed' });
    expect(await reservedBy(person)).toBe(0);
    expect(await notSentOf(person)).toEqual([{ type: 'message.not_sent', reason: 'unsubscribed' }]);
    expect(
      await shop.rows(
        `select email_hash, reason from suppressions where business_id = $1`,
        person.businessId,
      ),
    ).toEqual([{ email_hash: shop.hasher('email', person.email), reason: 'unsubscribe' }]);
    expect((await reader.get('/inbox')).body).toContain('You have unsubscribed');
    expect((await reader.get('/inbox/choices')).body).toContain('You have unsubscribed, for good');
  });

  test('twice is once', async () => {
    const { person, reader } = await reading();
    await Promise.all(Array.from({ length: 5 }, () => reader.submit('/inbox/choices/unsubscribe')));
    expect(await consentOf(person)).toEqual([{ channel: 'email', action: 'unsubscribed', source: 'inbox' }]);
  });
});

describe('unsubscribing from a mail', () => {
  const tokens = unsubscribeTokens(SECRET_KEY);
  const ONE_CLICK = { 'List-Unsubscribe': 'One-Click' };
  const newPerson = async () => (await shop.business({ name: 'Kuusk' })).recipient();
  const tokenFor = ({ businessId, id, email }: InboxRecipient) =>
    tokens.make(businessId, id, shop.hasher('email', email));
  const pathFor = (person: InboxRecipient) => `/unsubscribe/${tokenFor(person)}`;

  test('is one POST without cookies or redirects, as RFC 8058 has it', async () => {
    const person = await newPerson();
    const email = await person.send({ messageId: await person.message(), channel: 'email', state: 'queued' });
    const answer = await postForm(shop, pathFor(person), ONE_CLICK);
    expect(answer.statusCode).toBe(200);
    expect(answer.headers['set-cookie']).toBeUndefined();
    expect(await stateOf(person)).toMatchObject({ unsubscribed: true });
    expect(await sendState(email)).toMatchObject({ state: 'skipped', reason: 'unsubscribed' });
    expect(await consentOf(person)).toEqual([
      { channel: 'email', action: 'unsubscribed', source: 'one-click' },
    ]);
    expect((await postForm(shop, pathFor(person), ONE_CLICK)).statusCode).toBe(200);
  });

  test('may come as multipart/form-data too, and from wherever the mail is read', async () => {
    const person = await newPerson();
    const answer = await shop.app.inject({
      method: 'POST',
      url: pathFor(person),
      headers: {
        'content-type': 'multipart/form-data; boundary=b',
        origin: 'https://mail.example',
        'sec-fetch-site': 'cross-site',
      },
      payload: '--b\r\nContent-Disposition: form-data; name="List-Unsubscribe"\r\n\r\nOne-Click\r\n--b--\r\n',
    });
    expect(answer.statusCode).toBe(200);
    expect(await stateOf(person)).toMatchObject({ unsubscribed: true });
  });

  test.each(['GET', 'HEAD'] as const)('%s shows what would happen and changes nothing', async (method) => {
    const person = await newPerson();
    const answer = await shop.app.inject({ method, url: pathFor(person) });
    expect(answer.statusCode).toBe(200);
    if (method === 'GET') expect(answer.body).toContain('This is permanent.');
    expect(await stateOf(person)).toMatchObject({ unsubscribed: false });
  });

  test('the page’s own button works', async () => {
    const person = await newPerson();
    expect((await postForm(shop, pathFor(person), { confirm: 'yes' })).body).toContain(
      'You are unsubscribed',
    );
    expect(await stateOf(person)).toMatchObject({ unsubscribed: true });
  });

  test('a POST that says nothing changes nothing', async () => {
    const person = await newPerson();
    expect((await postForm(shop, pathFor(person), {})).statusCode).toBe(400);
    expect((await postForm(shop, pathFor(person), { 'List-Unsubscribe': 'Maybe' })).statusCode).toBe(400);
    expect((await shop.app.inject({ method: 'POST', url: pathFor(person) })).statusCode).toBe(400);
    expect(await stateOf(person)).toMatchObject({ unsubscribed: false });
  });

  test('a link into the inbox does not unsubscribe, and an unsubscribe token does not sign in', async () => {
    const person = await newPerson();
    const token = await person.link(null);
    expect((await postForm(shop, `/unsubscribe/${token}`, ONE_CLICK)).statusCode).toBe(404);
    expect((await shop.app.inject({ method: 'POST', url: `/i/${tokenFor(person)}` })).statusCode).toBe(404);
    expect(await stateOf(person)).toMatchObject({ unsubscribed: false });
  });

  test('a token of someone who is gone keeps the unsubscription by the hash of the address', async () => {
    const business = await shop.business();
    const hash = shop.hasher('email', 'gone@example.org');
    const path = `/unsubscribe/${tokens.make(business.id, 'gone00000000000000000000', hash)}`;
    expect((await shop.app.inject({ url: path })).statusCode).toBe(200);
    const kept = () =>
      shop.rows('select email_hash, reason, email from suppressions where business_id = $1', business.id);
    expect(await kept()).toEqual([]);
    for (let count = 0; count < 2; count += 1)
      expect((await postForm(shop, path, ONE_CLICK)).statusCode).toBe(200);
    expect(await kept()).toEqual([{ email_hash: hash, reason: 'unsubscribe', email: null }]);
    expect((await postForm(shop, '/unsubscribe/forged', ONE_CLICK)).statusCode).toBe(404);
  });
});
