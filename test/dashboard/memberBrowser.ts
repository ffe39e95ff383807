import type { BrowserContext, Page } from 'playwright-core';
import { transaction } from '../../src/db/transaction.ts';
import { addMember, addOperator } from '../../src/members/members.ts';
import type { MemberRole } from '../../src/members/permissions.ts';
import { writeLink } from '../../src/members/signIn.ts';
import type { TestService } from '../support/service.ts';
import type { Shop } from '../support/shop.ts';
import { capturedMessages, eventually } from '../support/waiting.ts';

export interface ReadPage {
  status: number;
  headers: Headers;
  /** Where it leads, for a redirect. */
  location: string | null;
  text: string;
}

let clients = 0;

/** Sign-in mails are limited per client, so each browser is one of its own behind the trusted proxy. */
const nextClient = (): string => {
  clients += 1;
  return `198.51.${Math.floor(clients / 250)}.${(clients % 250) + 1}`;
};

/** A browser without scripts: keeps cookies, follows no redirect by itself, and sends forms as our own pages do. */
export class MemberBrowser {
  readonly url: string;
  readonly address = nextClient();
  readonly cookies = new Map<string, string>();
  /** Set-Cookie of the last response. */
  lastCookies: string[] = [];

  constructor(url: string) {
    this.url = url;
  }

  get(path: string): Promise<ReadPage> {
    return this.#request('GET', path);
  }

  /** Sends a form with these fields; `headers` replaces what the browser would send. */
  post(
    path: string,
    fields: Record<string, string> = {},
    headers: Record<string, string> = {},
  ): Promise<ReadPage> {
    return this.#request('POST', path, new URLSearchParams(fields), headers);
  }

  /** Sends a form with the token of the page it stands on. */
  async submit(page: string, path: string, fields: Record<string, string> = {}): Promise<ReadPage> {
    return this.post(path, { csrf: csrfIn((await this.get(page)).text), ...fields });
  }

  /** Sends a form with a file. */
  upload(
    path: string,
    fields: Record<string, string>,
    file: { name: string; content: Buffer; type?: string },
  ) {
    const form = new FormData();
    for (const [name, value] of Object.entries(fields)) form.append(name, value);
    const { name, content, type = 'application/octet-stream' } = file;
    form.append(name, new Blob([content], { type }), '../../<script>.png');
    return this.#request('POST', path, form);
  }

  async #request(
    method: string,
    path: string,
    body?: URLSearchParams | FormData,
    headers: Record<string, string> = {},
  ): Promise<ReadPage> {
    const response = await fetch(new URL(path, this.url), {
      method,
      redirect: 'manual',
      headers: {
        cookie: [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; '),
        'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0',
        ...(method === 'POST' && { 'sec-fetch-site': 'same-origin', 'x-forwarded-for': this.address }),
        ...headers,
      },
      ...(body && { body }),
    });
    this.lastCookies = response.headers.getSetCookie();
    for (const cookie of this.lastCookies) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
      if (value === '') this.cookies.delete(name);
      else this.cookies.set(name, value);
    }
    const isStream = response.headers.get('content-type')?.startsWith('text/event-stream');
    // A stream does not end by itself.
    if (isStream) await response.body?.cancel();
    const text = isStream ? '' : await response.text();
    return {
      status: response.status,
      headers: response.headers,
      location: response.headers.get('location'),
      text,
    };
  }
}

/** The form token on a page. */
export function csrfIn(page: string): string {
  const [, token] = /name="csrf" value="([^"]+)"/.exec(page) ?? [];
  if (token === undefined) throw new Error(`no form with a token: ${page.slice(0, 500)}`);
  return token;
}

export const joinShop = (
  { pool, clock }: TestService,
  businessId: string,
  email: string,
  role: MemberRole,
): Promise<{ id: string }> =>
  transaction(pool, (tx) => addMember(tx, clock.now(), { businessId, email, role }));

export const joinAsOperator = ({ pool, clock }: TestService, email: string): Promise<{ id: string }> =>
  transaction(pool, (tx) => addOperator(tx, clock.now(), email));

/** A browser in which this member is signed in, by a link that any browser may use. */
export async function signedIn(service: TestService, memberId: string): Promise<MemberBrowser> {
  const token = await writeLink(service.pool, memberId, null, service.clock.now());
  const browser = new MemberBrowser(service.url);
  const { status } = await browser.post(`/dashboard/sign-in/${token}`);
  if (status !== 303) throw new Error(`the link answered ${status}`);
  return browser;
}

/** Searches the shop: what it leads to, and the page of results if it is one. */
export async function searchIn(
  browser: MemberBrowser,
  { businessId }: Pick<Shop, 'businessId'>,
  text: string,
): Promise<ReadPage> {
  const path = `/dashboard/${businessId}/search`;
  const answer = await browser.submit(path, path, { text });
  const { location } = answer;
  return location?.startsWith(`${path}?`) ? { ...(await browser.get(location)), location } : answer;
}

/**
 * Signs a member in to a real browser without loading the pages that lead there, as tests do that are about something else:
 * signInBrowser.test.ts goes through those. `url` is how the browser calls the service.
 */
export async function signInProfile(
  profile: BrowserContext,
  service: TestService,
  memberId: string,
  url = service.url,
): Promise<void> {
  const token = await writeLink(service.pool, memberId, null, service.clock.now());
  const answer = await profile.request.post(`${url}/dashboard/sign-in/${token}`, {
    headers: { 'sec-fetch-site': 'same-origin' },
    maxRedirects: 0,
  });
  if (answer.status() !== 303) throw new Error(`the link answered ${answer.status()}`);
}

/** The path of the link in the newest mail to an address, once there are `mails` of them. */
export const mailedLink = ({ url }: TestService, to: string, mails = 1): Promise<string> =>
  eventually(async () => {
    const captured = await capturedMessages(url, { to, channel: 'email' });
    if (captured.length < mails) throw new Error(`there are ${captured.length} mails`);
    const [link] = /https?:\/\/\S+\/dashboard\/sign-in\/\S+/.exec(captured[0]?.text ?? '') ?? [];
    return new URL(link ?? '').pathname;
  });

/** Unfolds the menu of the bar, which leads to the other shops, the operator's pages and the account. */
export const openMenu = (page: Page): Promise<void> => page.locator('.menu > summary').click();

/** What a page shows below its bar, which has forms of its own: the search, and to sign out. */
export const mainOf = (html: string): string => html.slice(html.indexOf('<main'));
