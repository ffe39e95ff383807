import { afterAll, beforeAll, expect, test } from 'vitest';
import { createBusiness } from '../../src/businesses/create.ts';
import { systemClock } from '../../src/kit/clock.ts';
import { type Canary, tracesIn, tracesInDatabase } from '../erasure/traces.ts';
import { mockApi } from '../providers/mockApi.ts';
import { type TestDatabase, testDatabase } from '../support/database.ts';
import { buildProgram, killAllPrograms, type Program, startProgram } from '../support/program.ts';
import { metaEnv, PROVIDER_SECRETS, postmarkEnv, twilioSmsEnv } from '../support/providerEnvironments.ts';
import { expectStatus, Shop } from '../support/shop.ts';
import { eventually } from '../support/waiting.ts';

/** The program as it runs in production, with providers that are not the sandbox's, logging all that it can log. */
let database: TestDatabase;
let program: Program;
beforeAll(async () => {
  await buildProgram();
  database = await testDatabase();
}, 180_000);
afterAll(async () => {
  await killAllPrograms();
  await database.drop();
});

const SECRET_KEY = 'kd83hf02ns7qpz61mx94tb5vw0ac2eyr';
const PERSON = { email: 'canary.zebrafish@example.com', phone: '+447700900817' };
const SUBJECT = 'Parcel for the Zebrafish family';
const BODY = 'Left behind the Walrus statue';
const OURS = { 'sec-fetch-site': 'same-origin', 'content-type': 'application/x-www-form-urlencoded' };

const lastOf = (path: string): string => path.split('/').at(-1) ?? '';

test('no key, secret, link or session can be read in the database, and no person either in the log', async () => {
  const mail = await mockApi({ status: 200, body: { ErrorCode: 0, Message: 'OK', MessageID: 'm1' } });
  const texts = await mockApi({ status: 201, body: { sid: 'SM1', status: 'queued' } });
  const whatsapp = await mockApi({ status: 200, body: { messages: [{ id: 'wamid.1' }] } });
  const hook = await mockApi({ status: 500 });
  program = await startProgram({
    DATABASE_URL: database.url,
    SECRET_KEY,
    LOG_LEVEL: 'trace',
    RATE_LIMIT_PER_SECOND: '0',
    WEBHOOK_ALLOW_HOSTS: `127.0.0.1:${hook.port}`,
    ...postmarkEnv(mail.url),
    ...twilioSmsEnv(texts.url),
    ...metaEnv(whatsapp.url),
  });
  const { businessId, apiKey } = await createBusiness(database.pool, systemClock, {
    name: 'Acme Books',
    credits: 9,
  });
  const shop = new Shop(program.url, businessId, apiKey);
  const minted = expectStatus<{ key: string }>(201, await shop.call('POST', '/api/v1/keys'));
  const endpoint = expectStatus<{ secret: string }>(
    201,
    await shop.call('POST', '/api/v1/webhook-endpoints', { body: { url: `${hook.url}/hook` } }),
  );
  const push = {
    recipient_email: PERSON.email,
    recipient_phone: PERSON.phone,
    subject: SUBJECT,
    body: BODY,
    reference: '#1001',
    order_status: 'shipped',
    channels: ['sms', 'whatsapp'],
    whatsapp_opt_in: { source: 'checkout' },
  };
  await shop.pushed(push);
  await eventually(async () =>
    expect([mail, texts, whatsapp].map(({ taken }) => taken.length)).toEqual([1, 1, 1]),
  );
  const written: { TextBody: string; Headers: { Name: string; Value: string }[] } = JSON.parse(
    mail.taken[0]?.body ?? '{}',
  );
  const link = /https?:\/\/\S+\/i\/\S+/.exec(written.TextBody)?.[0] ?? '';
  const textLink =
    /https?:\/\/\S+\/i\/\S+/.exec(new URLSearchParams(texts.taken[0]?.body).get('Body') ?? '')?.[0] ?? '';
  const unsubscribe =
    /<(.+?)>/.exec(written.Headers.find(({ Name }) => Name === 'List-Unsubscribe')?.Value ?? '')?.[1] ?? '';
  const here = (url: string): string => program.url + new URL(url).pathname;

  // The person comes, and everything that can go wrong does.
  const arrived = await fetch(here(link), { method: 'POST', redirect: 'manual', headers: OURS });
  const cookie = (arrived.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
  expect(await (await fetch(`${program.url}/inbox`, { headers: { cookie } })).text()).toContain(SUBJECT);
  await fetch(`${here(link)}x`, { method: 'POST', redirect: 'manual', headers: OURS });
  await fetch(here(unsubscribe));
  await shop.with(`${apiKey}x`).push(push);
  await shop.push({ ...push, recipient_phone: BODY, send_at: PERSON.email });
  await shop.get(`/api/v1/messages?recipient_email=${PERSON.email}&cursor=${PERSON.email}`);
  await shop.get(`/api/v1/recipients/${PERSON.email}/sms`);
  await shop.get(`/api/v1/${PERSON.email}`);
  mail.reply('closes the connection after the body');
  texts.reply({ status: 400, body: { code: 21211, message: `To ${PERSON.phone} is not valid` } });
  whatsapp.reply({ status: 500, body: PERSON.phone });
  await shop.pushed(push);
  await eventually(async () => {
    const { rows } = await database.pool.query(`select from sends where state in ('rejected', 'failed')`);
    expect(rows.length).toBe(3);
  });
  await eventually(async () => expect(hook.taken.length).toBeGreaterThanOrEqual(3));
  expect(await program.end()).toBe(0);

  const secrets: Canary[] = Object.entries({
    'the first key': apiKey,
    'a minted key': minted.key,
    'the secret of a webhook': endpoint.secret,
    'a link in a mail': lastOf(link),
    'a link in a text': lastOf(textLink),
    'a session': cookie.split('=')[1] ?? '',
    'an unsubscription': lastOf(unsubscribe),
    'the secret key': SECRET_KEY,
    'a provider’s password': PROVIDER_SECRETS.twilio,
    'a webhook’s password': PROVIDER_SECRETS.postmark,
  }).map(([name, text]) => ({ name, text }));
  expect(secrets.filter(({ text }) => text.length < 12)).toEqual([]);
  expect(await tracesInDatabase(database.pool, secrets)).toEqual([]);

  const log = program.printed();
  expect(log.split('\n').length).toBeGreaterThan(15);
  const people: Canary[] = [
    { name: 'the address', text: PERSON.email },
    { name: 'the number', text: PERSON.phone.slice(1) },
    { name: 'the subject', text: SUBJECT },
    { name: 'the text', text: BODY },
  ];
  expect(tracesIn(log, [...secrets, ...people])).toEqual([]);
}, 180_000);
