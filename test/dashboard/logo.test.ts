import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openConsole, type TestConsole } from '../cli/console.ts';
import { PLAIN_JPEG, PLAIN_SVG, plainPng, png, pngChunk, pngHeader } from '../support/images.ts';
import { startService, type TestService } from '../support/service.ts';
import type { Shop } from '../support/shop.ts';
import { eventually } from '../support/waiting.ts';
import { csrfIn, joinShop, type MemberBrowser, type ReadPage, signedIn } from './memberBrowser.ts';

let service: TestService;
let console: TestConsole;
let shop: Shop;
let ownerId: string;
let owner: MemberBrowser;
beforeAll(async () => {
  service = await startService();
  console = openConsole(service.database.url);
  shop = await service.business({ name: 'Acme Books' });
  ownerId = (await joinShop(service, shop.businessId, 'owner@shop.example', 'owner')).id;
  owner = await signedIn(service, ownerId);
});
afterAll(() => service.close());

const at = (): string => `/dashboard/${shop.businessId}/settings`;
async function upload(content: Buffer, type = 'image/png', browser = owner): Promise<ReadPage> {
  const csrf = csrfIn((await browser.get('/dashboard/account')).text);
  return browser.upload(`${at()}/logo`, { csrf }, { name: 'logo', content, type });
}
const faultOf = ({ text }: ReadPage): string => /id="logo-fault">([^<]*)</.exec(text)?.[1] ?? '';
const current = async (): Promise<string | null> => {
  const { logo } = await console.json('business', 'show', shop.businessId);
  return typeof logo === 'string' ? logo : null;
};
const fetchLogo = async (name: string | null, businessId = shop.businessId): Promise<Response> =>
  fetch(`${service.url}/logos/${businessId}/${name}`);

test.each([
  ['a PNG', plainPng(16), 'png', 'image/png'],
  ['a JPEG', PLAIN_JPEG, 'jpg', 'image/jpeg'],
])('%s is uploaded and served inert, under the hash of its content', async (_name, content, ending, type) => {
  // What the browser says about the file decides nothing.
  const saved = await upload(content, 'text/html');
  expect([saved.status, saved.location]).toEqual([303, `${at()}?flash=logo_set`]);
  const name = await current();
  expect(name).toMatch(new RegExp(`^[0-9a-f]{40}\\.${ending}$`));
  const response = await fetchLogo(name);
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toBe(type);
  expect(response.headers.get('x-content-type-options')).toBe('nosniff');
  expect(response.headers.get('content-security-policy')).toMatch(/^sandbox; default-src 'none'/);
  expect(response.headers.get('cache-control')).toContain('immutable');
  expect(response.headers.get('set-cookie')).toBeNull();
  expect((await owner.get(at())).text).toContain(`src="/logos/${shop.businessId}/${name}"`);
  expect((await upload(content)).location).toBe(`${at()}?flash=logo_same`);
});

test('the upload leaves an audit entry of the member', async () => {
  const { rows } = await service.pool.query(
    `select actor, detail from audit_entries where business_id = $1 and action = 'settings.changed' order by id`,
    [shop.businessId],
  );
  expect(rows).toHaveLength(2);
  expect(rows[0]).toEqual({
    actor: `member:${ownerId}`,
    detail: { logo: { from: null, to: expect.stringMatching(/\.png$/) } },
  });
});

test('a hostile upload is refused beside its field, and the logo stays', async () => {
  const before = await current();
  const hostile: [Buffer, string][] = [
    [Buffer.alloc(0), 'Choose a file first.'],
    [Buffer.from('<!doctype html><script>alert(1)</script>'), 'A logo is a PNG or a JPEG image.'],
    [PLAIN_SVG, 'A logo is a PNG or a JPEG image. Mail programs show no SVG'],
    [Buffer.concat([plainPng().subarray(0, 40), Buffer.from('<script>alert(1)</script>')]), 'damaged'],
    [
      png(pngChunk('IHDR', pngHeader({ width: 60_000 })), pngChunk('IEND', Buffer.alloc(0))),
      'at most 2048 pixels',
    ],
    [Buffer.concat([plainPng(), Buffer.alloc(256 * 1024)]), 'larger than 256 KiB'],
    [Buffer.from('GIF89a'), 'A logo is a PNG or a JPEG image.'],
  ];
  for (const [content, says] of hostile) {
    const refused = await upload(content);
    expect(refused.status, says).toBe(422);
    expect(faultOf(refused)).toContain(says);
    expect(refused.text).not.toContain('<script>alert');
  }
  expect(await current()).toBe(before);
});

test('an image that is also a page is served as the image alone', async () => {
  const evil = Buffer.from('<script>alert(1)</script>');
  await upload(Buffer.concat([plainPng(4), evil]));
  const content = Buffer.from(await (await fetchLogo(await current())).arrayBuffer());
  expect(content.includes('script')).toBe(false);
});

test('what is no form, or too large, is refused and changes nothing', async () => {
  const before = await current();
  const csrf = csrfIn((await owner.get('/dashboard/account')).text);
  const large = await owner.upload(
    `${at()}/logo`,
    { csrf },
    { name: 'logo', content: Buffer.alloc(600 * 1024) },
  );
  expect([large.status, large.text]).toEqual([413, expect.stringContaining('This is too large')]);
  const headers = { 'content-type': 'multipart/form-data; boundary=x', 'sec-fetch-site': 'same-origin' };
  expect((await owner.post(`${at()}/logo`, { csrf }, headers)).status).toBe(400);
  expect((await owner.post(`${at()}/logo`, { csrf })).status).toBe(422);
  expect((await owner.upload(`${at()}/logo`, {}, { name: 'logo', content: plainPng() })).status).toBe(403);
  expect(await current()).toBe(before);
});

test('only this form takes files', async () => {
  const csrf = csrfIn((await owner.get('/dashboard/account')).text);
  const elsewhere = await owner.upload(at(), { csrf }, { name: 'logo', content: plainPng() });
  expect(elsewhere.status).toBe(415);
});

test('the inbox and the mail show the logo', async () => {
  const mailTo = async (email: string): Promise<{ html: string; text: string }> => {
    await shop.pushed({ recipient_email: email });
    return eventually(async () => {
      const { rows } = await service.pool.query<{ html: string; text: string }>(
        'select html, text from sandbox_messages where recipient = $1',
        [email],
      );
      if (!rows[0]) throw new Error('no mail yet');
      return rows[0];
    });
  };
  await upload(plainPng(8));
  const name = await current();
  const mail = await mailTo('png@example.com');
  expect(mail.html).toContain(`<img src="${service.url}/logos/${shop.businessId}/${name}" alt=""`);
  const link = /http\S+\/i\/\S+/.exec(mail.text)?.[0] ?? '';
  const arrival = await fetch(link);
  expect(arrival.headers.get('content-security-policy')).toContain("img-src 'self'");
  expect(await arrival.text()).toContain(
    `<img class="logo logo-large" src="/logos/${shop.businessId}/${name}" alt=""/>`,
  );
  const signedInBy = await fetch(link, { method: 'POST', redirect: 'manual' });
  const cookie = signedInBy.headers.getSetCookie()[0]?.split(';')[0] ?? '';
  const inbox = await (await fetch(`${service.url}/inbox`, { headers: { cookie } })).text();
  expect(inbox).toContain(`<img class="logo" src="/logos/${shop.businessId}/${name}" alt=""/>`);
});

test('old mails keep the logo of then, for 90 days and within bounds', async () => {
  const names: (string | null)[] = [];
  for (let side = 20; side < 34; side += 1) {
    await upload(plainPng(side));
    names.push(await current());
  }
  const statuses = await Promise.all(names.map(async (name) => (await fetchLogo(name)).status));
  expect(statuses.slice(0, 3)).toEqual([404, 404, 404]);
  expect(statuses.slice(3)).toEqual(Array.from({ length: 11 }, () => 200));
  await upload(plainPng(30));
  expect(await current()).toBe(names[10]);
  await service.advance({ days: 91 });
  await eventually(async () => expect((await fetchLogo(names[13] ?? null)).status).toBe(404));
  expect((await fetchLogo(names[10] ?? null)).status).toBe(200);
});

test('a removed logo is gone at once, everywhere', async () => {
  owner = await signedIn(service, ownerId);
  const name = await current();
  expect((await owner.submit(at(), `${at()}/logo/remove`)).location).toBe(`${at()}?flash=logo_removed`);
  expect(await current()).toBeNull();
  expect((await fetchLogo(name)).status).toBe(404);
  expect((await owner.submit(at(), `${at()}/logo/remove`)).location).toBe(`${at()}?flash=logo_none`);
});

test('two uploads at once leave one logo, and its file', async () => {
  await Promise.all([upload(plainPng(40)), upload(plainPng(41)), upload(plainPng(42))]);
  expect((await fetchLogo(await current())).status).toBe(200);
  const { rows } = await service.pool.query(
    'select name from logos where business_id = $1 and replaced_at is null',
    [shop.businessId],
  );
  expect(rows).toEqual([{ name: await current() }]);
});

test('a logo is found under its own shop alone, and a name that is none finds nothing', async () => {
  const other = await service.business();
  expect((await fetchLogo(await current(), other.businessId)).status).toBe(404);
  for (const name of ['..%2F..%2Fetc', 'x.png', "' or 1=1 --.png", 'a'.repeat(3_000)])
    expect((await fetchLogo(name)).status).toBe(404);
});

test('the command line sets and removes it, by the same rules', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'logo-'));
  try {
    const [good, bad] = [join(folder, 'logo.png'), join(folder, 'bad.svg')];
    await writeFile(good, plainPng(50));
    await writeFile(bad, PLAIN_SVG);
    const { logo } = await console.json('business', 'set', shop.businessId, '--logo', good);
    expect(logo).toMatch(/\.png$/);
    expect((await fetchLogo(String(logo))).status).toBe(200);
    expect(await console.mistake('business', 'set', shop.businessId, '--logo', bad)).toContain(
      'a PNG or a JPEG',
    );
    expect(
      await console.mistake('business', 'set', shop.businessId, '--logo', join(folder, 'none')),
    ).toContain('cannot be read');
    expect(await current()).toBe(logo);
    await console.json('business', 'set', shop.businessId, '--logo', 'none');
    expect(await current()).toBeNull();
  } finally {
    await rm(folder, { recursive: true });
  }
});

test('a viewer cannot upload one', async () => {
  const { id } = await joinShop(service, shop.businessId, 'v@shop.example', 'viewer');
  const viewer = await signedIn(service, id);
  expect((await upload(plainPng(), 'image/png', viewer)).status).toBe(403);
  expect((await viewer.get(at())).text).not.toContain('type="file"');
});
