import fc from 'fast-check';
import { afterAll, beforeAll, expect, test as serverTest } from 'vitest';
import { type DemoService, startDemoService } from '../pages/playground.ts';
import { openBrowser, type TestBrowser, browserTest as test } from '../support/browser.ts';
import { attributesIn, decoded, looseEnds } from '../support/markup.ts';
import { PHONE_NUMBER } from '../support/phoneNumber.ts';
import { capturedMessages, eventually } from '../support/waiting.ts';
import { openInboxLink } from './inboxVisitor.ts';

/** Whatever a page does with it other than show it, it shows: as a tag, as an attribute, or as another character. */
const HOSTILE = `"><b onmouseover='x'>&quot; onclick=&quot;y&commat;z`;
const HOSTILE_ADDRESS = `o'neil&quot+x@example.com`;
const DECEIVING = 'https://bank.example&commat;evil.example/';

let playground: DemoService;
let browser: TestBrowser;
let cookie: string;
let paths: string[];
beforeAll(async () => {
  [playground, browser] = await Promise.all([startDemoService(), openBrowser()]);
  const { service, shop, url } = playground;
  await service.change(shop, {
    name: HOSTILE,
    whatsappMode: 'on',
    smsMode: 'on',
    contactEmail: 'owner@shop.example',
    replyForward: 'link_only',
  });
  const push = {
    recipient_email: HOSTILE_ADDRESS,
    recipient_phone: PHONE_NUMBER,
    subject: HOSTILE,
    body: `${HOSTILE}\n${DECEIVING}\nhttps://a.example/?a=1&amp=2&lt=3#"x`,
    reference: '#1001',
    order_status: 'shipped',
    channels: ['sms', 'whatsapp'],
    whatsapp_opt_in: { source: HOSTILE },
  };
  const { id } = await shop.pushed(push);
  const mail = await mailAbout(id);
  await fetch(`${url}/sandbox/whatsapp/inbound`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ from: PHONE_NUMBER, body: HOSTILE, business_id: shop.businessId }),
  });
  const forwarded = await eventually(async () => {
    const [found] = await capturedMessages(url, { to: 'owner@shop.example' });
    if (!found) throw new Error('the reply was not forwarded');
    return found;
  });
  const pathIn = (text: string, name: string) =>
    new URL(new RegExp(`https?://\\S+/${name}/[^\\s>]+`).exec(text)?.[0] ?? '').pathname;
  const link = pathIn(mail.text, 'i');
  cookie = await openInboxLink(service, link);
  const query = new URLSearchParams({ to: HOSTILE_ADDRESS, open: mail.id, message: id, q: HOSTILE });
  paths = [
    '/',
    '/docs',
    `/docs?${query}`,
    '/sandbox',
    `/sandbox?${query}`,
    ...(await capturedMessages(url)).flatMap(({ id: captured, channel }) => [
      `/sandbox?open=${captured}`,
      ...(channel === 'email' ? [`/sandbox/messages/${captured}/email`] : []),
    ]),
    link,
    `/i/${encodeURIComponent(HOSTILE)}`,
    '/inbox',
    `/inbox?open=${id}`,
    `/inbox?${query}`,
    '/inbox/choices',
    '/inbox/choices/unsubscribe',
    '/inbox/choices/stop-whatsapp',
    '/inbox/signed-out',
    `/inbox/${encodeURIComponent(HOSTILE)}`,
    pathIn(mail.headers['List-Unsubscribe'] ?? '', 'unsubscribe'),
    pathIn(forwarded.text, 'replies'),
  ];
});
afterAll(async () => {
  await browser.close();
  await playground.close();
});

const mailAbout = (id: string) =>
  eventually(async () => {
    const captured = await capturedMessages(playground.url, { to: HOSTILE_ADDRESS, channel: 'email' });
    const mail = captured.find(({ message_id }) => message_id === id);
    if (!mail) throw new Error('the mail has not gone out');
    return mail;
  });

const pageAt = async (path: string): Promise<string> => {
  const answer = await fetch(playground.url + path, { headers: { cookie } });
  expect(answer.headers.get('content-type'), path).toMatch(/^text\/html/);
  return answer.text();
};

serverTest(
  'no page and no mail has a character of a merchant, a person or an address that a browser reads as another',
  async () => {
    const found: Record<string, string[]> = {};
    let shown = 0;
    for (const path of paths) {
      const html = await pageAt(path);
      shown += decoded(html).split(HOSTILE).length - 1;
      const handlers = attributesIn(html).filter(({ name }) => name.startsWith('on'));
      const faults = [...looseEnds(html), ...handlers.map(({ name }) => `attribute ${name}`)];
      if (faults.length > 0) found[path] = faults;
    }
    expect(found).toEqual({});
    expect(shown).toBeGreaterThan(paths.length);
  },
);

test('a browser finds in no page an element or a handler that a merchant wrote', async () => {
  const page = await (await browser.newProfile()).newPage();
  for (const path of paths) {
    const html = await pageAt(path);
    const strange: string[] = await page.evaluate(calling(STRANGE_IN, html));
    expect(strange, path).toEqual([]);
  }
});

const calling = (source: string, html: string): string => `(${source})(${JSON.stringify(html)})`;

/** Runs in the browser: elements that only hostile text could have made. */
const STRANGE_IN = `(html) => {
  const page = new DOMParser().parseFromString(html, 'text/html');
  return [...page.querySelectorAll('[onmouseover], [onclick], b')].map((element) => element.outerHTML);
}`;

/** Runs in the browser: what each link shows, and where it leads. */
const LINKS_IN = `(html) => {
  const page = new DOMParser().parseFromString(html, 'text/html');
  return [...page.querySelectorAll('a[target="_blank"]')].map((link) => ({
    shown: link.textContent, host: link.hostname, username: link.username, protocol: link.protocol }));
}`;

interface SeenLink {
  shown: string;
  host: string;
  username: string;
  protocol: string;
}

test('a browser follows every link in a message to the host that it shows, whatever the merchant wrote', async () => {
  const { shop } = playground;
  const page = await (await browser.newProfile()).newPage();
  const part = fc.oneof(
    fc.constantFrom(
      'https://',
      'http://',
      'bank.example',
      'evil.example',
      '&commat;',
      '&#64;',
      '&#x40',
      '&sol;',
      '&colon;',
    ),
    fc.constantFrom(
      '@',
      '/',
      '\\',
      ':',
      '?',
      '#',
      '%40',
      '%2e',
      '&',
      ';',
      '"',
      "'",
      '<',
      '>',
      ' ',
      '.',
      '&NewLine;',
      '&Tab;',
    ),
    fc.webUrl({ withQueryParameters: true, withFragments: true }),
    fc.string({ unit: 'grapheme', maxLength: 8 }),
  );
  const address = fc
    .array(part, { minLength: 1, maxLength: 8 })
    .map((parts) => `https://bank.example${parts.join('')}`);
  const texts = [DECEIVING, ...fc.sample(address, 400)].map((text) => text.replace(/[\p{Cs}\0]/gu, ''));
  const bodies = Array.from({ length: Math.ceil(texts.length / 50) }, (_, at) =>
    texts
      .slice(at * 50, at * 50 + 50)
      .join('\n')
      .slice(0, 10_000),
  );
  let seen = 0;
  for (const body of bodies) {
    const { id } = await shop.pushed({ recipient_email: HOSTILE_ADDRESS, subject: 'Links', body });
    await openInInbox(id);
    const links: SeenLink[] = await page.evaluate(calling(LINKS_IN, await pageAt(`/inbox?open=${id}`)));
    for (const { shown, host, username, protocol } of links) {
      seen += 1;
      const visible = /^https?:\/\/([^/?#\\]*)/i.exec(shown)?.[1]?.replace(/:\d+$/, '').toLowerCase();
      const ascii = new URL(`https://${visible}`).hostname;
      expect({ shown, host, username, web: /^https?:$/.test(protocol) }).toEqual({
        shown,
        host: ascii,
        username: '',
        web: true,
      });
      expect(shown).not.toMatch(/^https?:\/\/[^/?#]*[&@%\\]/);
    }
  }
  expect(seen).toBeGreaterThan(50);
});

/** A message's text is shown once it was opened. */
async function openInInbox(id: string): Promise<void> {
  const csrf = /name="csrf" value="([^"]+)"/.exec(await pageAt('/inbox'))?.[1] ?? '';
  const answer = await fetch(`${playground.url}/inbox/messages/${id}/open`, {
    method: 'POST',
    redirect: 'manual',
    headers: { cookie, 'sec-fetch-site': 'same-origin', 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ csrf }).toString(),
  });
  expect(answer.status).toBe(303);
}
