import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventTypes } from '../../src/contract/eventTypes.ts';
import { KNOWN_VALUES } from '../../src/contract/schema.ts';
import { joinShop, type MemberBrowser, type ReadPage, signedIn } from '../dashboard/memberBrowser.ts';
import { type OpenApi, openApiOf } from '../support/openApi.ts';
import { type DemoService, startDemoService } from './playground.ts';

let playground: DemoService;
let openApi: OpenApi;
beforeAll(async () => {
  playground = await startDemoService();
  openApi = await openApiOf(playground.url);
});
afterAll(() => playground.close());

const read = async (path: string, headers: Record<string, string> = {}) => {
  const response = await fetch(playground.url + path, { headers });
  return { status: response.status, headers: response.headers, text: await response.text() };
};
const pathsIn = (html: string): string[] => [
  ...new Set([...html.matchAll(/ href="(\/docs[^"#?]*)/g)].map(([, path = '']) => path)),
];
const idsOf = (html: string): string[] => [...html.matchAll(/ id="([^"]+)"/g)].map(([, id = '']) => id);

describe('pages', () => {
  test('everything that a page leads to is there, once on its page', async () => {
    const overview = (await read('/docs')).text;
    const paths = pathsIn(overview);
    expect(paths.length).toBeGreaterThan(10);
    const pages = new Map<string, string>();
    for (const path of paths) pages.set(path, (await read(path)).text);
    const idsByPath = new Map([...pages].map(([path, html]) => [path, idsOf(html)]));
    for (const [path, html] of pages) {
      const ids = idsByPath.get(path) ?? [];
      expect(ids, path).toEqual([...new Set(ids)]);
      const targets = [...html.matchAll(/ href="([^"#?]*)(?:\?[^"#]*)?#([^"]+)"/g)];
      const missing = targets.filter(
        ([, to = '', id = '']) => !idsByPath.get(to === '' ? path : to)?.includes(id),
      );
      expect(
        missing.map(([href]) => href),
        path,
      ).toEqual([]);
    }
  });

  test('an operation is on the page of its resource, and its old address still names it on the overview', async () => {
    const overview = (await read('/docs')).text;
    for (const { id } of openApi.operations) {
      const [, moved = ''] = new RegExp(`<li id="${id}" data-moved="([^"]+)"`).exec(overview) ?? [];
      expect((await read(moved)).text).toContain(`<article class="operation" id="${id}">`);
    }
    for (const id of ['webhooks', 'webhooks.signature', ...eventTypes.map((type) => `event-${type}`)])
      expect(overview).toContain(`<li id="${id}" data-moved="/docs/webhooks">`);
  });

  test('the contents mark the page, and name its operations in at most 24 characters', async () => {
    const { text } = await read('/docs/recipients');
    expect(text).toContain('<a href="/docs/recipients" aria-current="page">Recipients</a>');
    const names = [...(text.split('<main')[0] ?? '').matchAll(/<\/span><span>([^<]+)<\/span><\/a>/g)];
    expect(names).toHaveLength(7);
    for (const path of pathsIn(text)) {
      const [contents = ''] = (await read(path)).text.split('<main');
      for (const [, name = ''] of contents.matchAll(/<\/span><span>([^<]+)<\/span><\/a>/g))
        expect(name.length, name).toBeLessThanOrEqual(24);
    }
  });

  test('each error of an operation is shown with a body', async () => {
    const { text } = await read('/docs/messages');
    const [, operation = ''] = text.split('<article class="operation" id="resendSms">');
    expect(operation.split('</article>')[0]).toMatch(
      /409<\/span>.*sms\.already_sent.*The SMS is queued or has already gone out\..*<details><summary>Body<\/summary>.*error_code/s,
    );
  });

  test('a page that is not there is not found', async () => {
    expect((await read('/docs/nothing')).status).toBe(404);
    expect((await read('/docs/')).status).toBe(404);
  });
});

describe('values to which more may come', () => {
  const wordsIn = (value: unknown): string[][] => {
    if (typeof value !== 'object' || value === null) return [];
    const { [KNOWN_VALUES]: known }: { [KNOWN_VALUES]?: string[] } = Object(value);
    return known === undefined ? Object.values(value).flatMap(wordsIn) : [known];
  };

  test('are shown with their field, on its page and in Markdown', async () => {
    const {
      components: { schemas },
    } = JSON.parse((await read('/openapi.json')).text);
    const [html, markdown] = [await read('/docs/messages'), await read('/docs/messages.md')];
    const lists = wordsIn([schemas.SmsOutcome, schemas.EmailOutcome, schemas.Reason, schemas.TimelineItem]);
    expect(lists.map(({ length }) => length > 1)).toEqual([true, true, true, true]);
    for (const words of lists) {
      expect(html.text).toContain(words.map((word) => `<code>${word}</code>`).join(', '));
      expect(markdown.text).toContain(`so far one of ${words.map((word) => `\`${word}\``).join(', ')}`);
    }
  });
});

describe('languages', () => {
  test('a language that is chosen is that of every example, on every page from then on', async () => {
    const chosen = await read('/docs/orders?lang=python');
    const cookie = chosen.headers.getSetCookie()[0]?.split(';')[0] ?? '';
    expect(cookie).toMatch(/=python$/);
    expect(chosen.headers.get('vary')).toContain('cookie');
    for (const { text } of [
      chosen,
      await read('/docs/messages', { cookie }),
      await read('/docs', { cookie }),
    ]) {
      expect(text).toContain('base_url=');
      expect(text).not.toContain('curl -s');
    }
    expect((await read('/docs/orders')).text).toContain('curl -s');
    const other = await read('/docs/orders?lang=cobol', { cookie });
    expect(other.text).toContain('base_url=');
    expect(other.headers.getSetCookie()).toEqual([]);
  });

  test('a browser has each language apart', async () => {
    const [curl, php] = [await read('/docs/usage?lang=curl'), await read('/docs/usage?lang=php')];
    const etag = curl.headers.get('etag') ?? '';
    expect(php.headers.get('etag')).not.toBe(etag);
    expect((await read('/docs/usage', { 'if-none-match': etag })).status).toBe(304);
    expect((await read('/docs/usage?lang=php', { 'if-none-match': etag })).status).toBe(200);
  });
});

describe('search', () => {
  const found = async (query: string) => {
    const { text } = await read(`/docs?q=${encodeURIComponent(query)}`);
    const [, results = ''] = text.split('<ol class="results">');
    return [...results.matchAll(/<li><a href="([^"]+)">/g)].map(([, href]) => href);
  };

  test.each([
    ['push a message', '/docs/messages#pushMessage'],
    ['/recipients/{email}/phone', '/docs/recipients#setRecipientPhone'],
    ['reportTracking', '/docs/orders#reportTracking'],
    ['sms.already_sent', '/docs#error-sms.already_sent'],
    ['MESSAGE.bounced', '/docs/webhooks#event-message.bounced'],
    ['escalate_if_unread_after_minutes', '/docs/messages#pushMessage.body.escalate_if_unread_after_minutes'],
    ['idempotency', '/docs#idempotency'],
    ['recipients', '/docs/recipients#recipients'],
  ])('%s', async (query, first) => {
    expect((await found(query))[0]).toBe(first);
  });

  test('a result leads to a part that is there', async () => {
    const results = await found('email');
    expect(results.length).toBeGreaterThan(10);
    for (const href of results) {
      const { pathname, hash } = new URL(href ?? '', playground.url);
      expect(idsOf((await read(pathname)).text), href).toContain(hash.slice(1));
    }
  });

  test('what is not there is said so, and the query stays in its field', async () => {
    const { status, text } = await read('/docs?q=%22%3E%3Cb%3Exyzzy');
    expect(status).toBe(200);
    expect(text).toMatch(/Nothing here has <strong>&#34;>&lt;b>xyzzy<\/strong>/);
    expect(text).toContain('value="&#34;>&lt;b>xyzzy"');
    expect(text).not.toContain('<b>xyzzy');
  });

  test('a blank query is the overview', async () => {
    expect((await read('/docs?q=+')).text).toContain('>Start here</a>');
  });
});

describe('a reader who is signed in', () => {
  const signIn = async (businessId: string, role: 'owner' | 'viewer'): Promise<MemberBrowser> => {
    const { id } = await joinShop(playground.service, businessId, `${role}@${businessId}.example`, role);
    return signedIn(playground.service, id);
  };
  const expectPrivate = ({ status, headers }: ReadPage) => {
    expect([status, headers.get('cache-control'), headers.get('etag')]).toEqual([
      200,
      'private, no-store',
      null,
    ]);
  };

  test('sees the key of their shop by its last letters, and where to create one', async () => {
    const shop = await playground.service.business({ name: 'Nordic Wool' });
    const owner = await signIn(shop.businessId, 'owner');
    const page = await owner.get('/docs/messages');
    expectPrivate(page);
    expect(page.text).not.toContain(shop.apiKey);
    expect(page.text).toContain(`way_live_…${shop.apiKey.slice(-4)}`);
    expect(page.text).toContain('# WAYPOST_API_KEY: ');
    expect(page.text).toContain(`<a href="/dashboard/${shop.businessId}/keys">Create a key</a>`);
    expect(page.text).not.toContain(playground.shop.apiKey);
  });

  test('sees no key of another shop, and nothing of theirs is in the page for others', async () => {
    const shop = await playground.service.business({ name: 'Seen By Its Own' });
    const viewer = await signIn(shop.businessId, 'viewer');
    expect((await viewer.get('/docs')).text).toContain('Seen By Its Own');
    expect((await viewer.get('/docs')).text).toContain('>See the keys</a>');
    expect((await read('/docs')).text).not.toContain('Seen By Its Own');
  });

  test('has the key of the demo in the examples of the sandbox, which shows it anyway', async () => {
    const owner = await signIn(playground.shop.businessId, 'owner');
    const page = await owner.get('/docs/messages?lang=curl');
    expectPrivate(page);
    expect(page.text).toContain(`Bearer ${playground.shop.apiKey}`);
    expect((await read('/docs/messages')).text).not.toContain(playground.shop.apiKey);
    const rebound = await playground.service.app.inject({
      url: '/docs/messages',
      headers: {
        host: 'evil.example',
        cookie: [...owner.cookies].map(([name, value]) => `${name}=${value}`).join('; '),
      },
    });
    expect(rebound.body).not.toContain(playground.shop.apiKey);
  });

  test('whose session ended reads what everybody reads', async () => {
    const { text, headers } = await read('/docs/credits', { cookie: `waypost_dashboard=${'a'.repeat(43)}` });
    expect(headers.get('cache-control')).toBe('no-cache');
    expect(text).toContain('$WAYPOST_API_KEY');
  });
});

describe('for assistants', () => {
  test('/llms.txt leads to every page as Markdown, and each has what its page has', async () => {
    const index = await read('/llms.txt');
    expect(index.headers.get('content-type')).toBe('text/plain; charset=utf-8');
    expect(index.text).toMatch(/^# Waypost\n\n> .+\n/);
    const links = [...index.text.matchAll(/\]\(([^)]+\.md)\)/g)].map(([, link = '']) => link);
    expect(new Set(links.map((link) => link.replace(/\.md$/, '').slice(playground.url.length)))).toEqual(
      new Set(pathsIn((await read('/docs')).text).filter((path) => path !== '/docs/all')),
    );
    const pages = await Promise.all(links.map((link) => fetch(link)));
    for (const { headers } of pages) expect(headers.get('content-type')).toBe('text/markdown; charset=utf-8');
    const all = (await Promise.all(pages.map((page) => page.text()))).join('\n');
    for (const { method, path } of openApi.operations) expect(all).toContain(`\n\`${method} ${path}\`\n`);
    for (const type of eventTypes) expect(all).toContain(`\n### \`${type}\`\n`);
    const full = (await read('/llms-full.txt')).text;
    for (const { id, path, responses } of openApi.operations)
      for (const code of [...responses.values()].flatMap(({ codes }) => codes))
        expect(full.includes(`\`${code}\``) && full.includes(path), `${id}: ${code}`).toBe(true);
    expect(full).toBe((await read('/docs/all.md')).text);
    // Nothing of the program that made it, no page's markup and no link that leads to nothing.
    expect(full).not.toMatch(/undefined|\[object|<\w+ class=|\]\(#/);
  });

  test('its fences are closed, and its JSON can be read', async () => {
    const { text } = await read('/llms-full.txt');
    const json = [...text.matchAll(/^```json\n([\s\S]*?)\n```$/gm)].map(([, body = '']) => body);
    expect(json.length).toBeGreaterThan(openApi.operations.length);
    for (const body of json) JSON.parse(body);
    expect((text.match(/^```/gm) ?? []).length % 2).toBe(0);
  });

  test('is revalidated and packed like the pages', async () => {
    const first = await read('/llms-full.txt');
    const again = await read('/llms-full.txt', { 'if-none-match': first.headers.get('etag') ?? '' });
    expect([first.status, again.status, again.text]).toEqual([200, 304, '']);
    expect(first.headers.get('content-encoding')).toBe('gzip');
  });
});
