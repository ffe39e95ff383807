import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  type InboxRecipient,
  type InboxServer,
  postForm,
  signInToInbox,
  startInboxServer,
} from './inboxServer.ts';

let shop: InboxServer;
beforeAll(async () => {
  shop = await startInboxServer();
});
afterAll(() => shop.close());

const newPerson = async (): Promise<InboxRecipient> => (await shop.business()).recipient();

const HEADERS = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
};

test('every page has its headers, also those that fail', async () => {
  const person = await newPerson();
  const reader = await signInToInbox(shop, await person.link(await person.message()));
  const pages = [
    await reader.get('/inbox'),
    await reader.get('/inbox/choices'),
    await reader.get('/inbox/choices/unsubscribe'),
    await reader.get('/inbox/choices/stop-whatsapp'),
    await reader.get('/inbox/signed-out'),
    await reader.submit('/inbox/messages/nothing/open'),
    await shop.app.inject({ url: '/inbox' }),
    await shop.app.inject({ url: '/inbox/nothing/here' }),
    await shop.app.inject({ url: '/i/nothing' }),
    await shop.app.inject({ url: '/unsubscribe/nothing' }),
    await shop.app.inject({ url: `/i/${await person.link(null)}` }),
    await shop.app.inject({ method: 'POST', url: '/inbox/sign-out', payload: {} }),
    await postForm(shop, '/inbox/new-link', { email: 'x'.repeat(5_000) }),
  ];
  for (const page of pages) expect(page.headers).toMatchObject(HEADERS);
});

test('an address below the inbox where nothing is gets a page, with a way back', async () => {
  const lost = await shop.app.inject({ url: '/inbox/nothing' });
  expect([lost.statusCode, lost.headers['content-type']]).toEqual([404, 'text/html; charset=utf-8']);
  expect(lost.payload).toContain('There is nothing here');
  expect(lost.payload).toContain('href="/inbox"');
});

test('its cookie is for the inbox alone, unreadable for scripts, and not sent along by other sites', async () => {
  const person = await newPerson();
  const token = await person.link(null);
  const arrival = await shop.app.inject({ method: 'POST', url: `/i/${token}` });
  expect(arrival.headers['set-cookie']).toMatch(
    /^waypost_inbox=[\w-]{22}; Path=\/inbox; Max-Age=604800; HttpOnly; SameSite=Strict$/,
  );
});

test('over https its cookie is never sent without', async () => {
  const secure = await startInboxServer({ publicUrl: 'https://way.example/shops' });
  const person = await (await secure.business()).recipient();
  const arrival = await secure.app.inject({ method: 'POST', url: `/i/${await person.link(null)}` });
  expect(arrival.headers['set-cookie']).toMatch(/; Path=\/shops\/inbox; .*; Secure$/);
  expect(arrival.headers.location).toBe('/shops/inbox');
  await secure.close();
});

test('ends with signing out', async () => {
  const person = await newPerson();
  const reader = await signInToInbox(shop, await person.link(null));
  const answer = await reader.submit('/inbox/sign-out');
  expect(answer.statusCode).toBe(303);
  expect(answer.headers['set-cookie']).toMatch(/^waypost_inbox=; Path=\/inbox; Max-Age=0;/);
  expect((await reader.get('/inbox')).statusCode).toBe(403);
});

const FORMS = [
  '/inbox/messages/MESSAGE/open',
  '/inbox/sign-out',
  '/inbox/choices/stop-texts',
  '/inbox/choices/resume-texts',
  '/inbox/choices/stop-whatsapp',
  '/inbox/choices/unsubscribe',
];

test.each(FORMS)(
  '%s is refused without the session’s own token, and from another site even with it',
  async (form) => {
    const business = await shop.business();
    const person = await business.recipient({ phone: '+37255500134' });
    const message = await person.message();
    const path = form.replace('MESSAGE', message);
    const reader = await signInToInbox(shop, await person.link(null));
    const other = await signInToInbox(shop, await person.link(null));
    const othersToken = /name="csrf" value="([^"]+)"/.exec((await other.get('/inbox')).body)?.[1] ?? '';
    const before = await shop.rows(`select * from recipients where id = $1`, person.id);

    const refused = [
      await postForm(shop, path, {}, { cookie: reader.cookie }),
      await postForm(shop, path, { csrf: '' }, { cookie: reader.cookie }),
      await postForm(shop, path, { csrf: othersToken }, { cookie: reader.cookie }),
      await reader.submit(path, {}, { 'sec-fetch-site': 'cross-site' }),
      await reader.submit(path, {}, { 'sec-fetch-site': 'same-site' }),
      await reader.submit(path, {}, { origin: 'https://evil.example' }),
      await postForm(shop, path, { csrf: othersToken }),
    ];

    expect(refused.map(({ statusCode }) => statusCode)).toEqual(refused.map(() => 403));
    expect(await shop.rows(`select * from recipients where id = $1`, person.id)).toEqual(before);
    expect(await shop.rows(`select opened_at from messages where id = $1`, message)).toEqual([
      { opened_at: null },
    ]);
    expect((await reader.get('/inbox')).statusCode).toBe(200);
  },
);

test('what is loaded with the pages is cached for good, and all of it is small', async () => {
  const person = await newPerson();
  const message = await person.message();
  const { body } = await (await signInToInbox(shop, await person.link(message))).get(
    `/inbox?open=${message}`,
  );
  const paths = [...body.matchAll(/(?:href|src)="(\/inbox-assets\/[^"]+)"/g)].map(([, path]) => path ?? '');
  expect(paths).toHaveLength(4);
  const assets = await Promise.all(paths.map((url) => shop.app.inject({ url })));
  for (const asset of assets) {
    expect(asset.statusCode).toBe(200);
    expect(asset.headers['cache-control']).toBe('public, max-age=31536000, immutable');
  }
  const bytes = [body, ...assets.map((asset) => asset.body)].reduce(
    (sum, text) => sum + Buffer.byteLength(text),
    0,
  );
  expect(bytes).toBeLessThan(50 * 1024);
  expect((await shop.app.inject({ url: '/inbox-assets/inbox-0000000000.css' })).statusCode).toBe(404);
  expect((await shop.app.inject({ url: '/inbox-assets/colour-zzzzzz-0000000000.css' })).statusCode).toBe(404);
});
