import { createServer } from 'node:http';
import type { BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { expect } from 'vitest';
import { consoleErrorsOf, DESKTOP_SCREEN, openBrowser } from '../support/browser.ts';
import { listenOnFreePort } from '../support/freePort.ts';
import { capturedMessages, eventually } from '../support/waiting.ts';
import { type DemoService, startDemoService } from './playground.ts';

/** The sandbox of a demo shop, whose webhooks are taken, in a browser. */
export interface SandboxVisit {
  readonly playground: DemoService;
  /** A developer at the page, who hears of everything it complains about; with options, in a fresh browser. */
  developer(options?: BrowserContextOptions): Promise<Developer>;
  /** Once a message to somebody is there. Asks the service, since every page that is loaded in vain costs much more. */
  arrived(to: string, channel: string): Promise<void>;
  /** Opens the newest message to somebody on a channel, once it is there. */
  openNewest(page: Page, to: string, channel: string): Promise<void>;
  /** For the end of a test. */
  closeFreshBrowsers(): Promise<void>;
  close(): Promise<void>;
}

interface Developer {
  page: Page;
  complaints: string[];
  open(path?: string): ReturnType<Page['goto']>;
}

export const lines = (page: Page) => page.locator('.lines li');
export const title = (page: Page) => page.locator('#opened-title');
export const said = (page: Page) => page.locator('#said');
export const eventsOn = (page: Page) => page.locator('.message-events code').allTextContents();

export async function visitSandbox(): Promise<SandboxVisit> {
  const receiver = createServer((request, response) => {
    request.resume().on('end', () => response.writeHead(204).end());
  });
  const port = await listenOnFreePort(receiver);
  const playground = await startDemoService({ WEBHOOK_ALLOW_HOSTS: `127.0.0.1:${port}` });
  const browser = await openBrowser();
  const endpoint = { url: `http://127.0.0.1:${port}/hooks` };
  const made = await playground.shop.call('POST', '/api/v1/webhook-endpoints', { body: endpoint });
  expect(made.status).toBe(201);

  const fresh: BrowserContext[] = [];
  const newPage = async (options: BrowserContextOptions): Promise<Page> =>
    (await browser.newProfile({ viewport: DESKTOP_SCREEN, ...options })).newPage();
  /** One for all tests that ask for no options, since a fresh browser takes a new process. */
  let usual: Promise<Page> | undefined;
  const usualPage = (): Promise<Page> => {
    usual ??= newPage({});
    return usual;
  };
  const arrived = (to: string, channel: string): Promise<void> =>
    eventually(async () => expect(await capturedMessages(playground.url, { to, channel })).not.toEqual([]));

  return {
    playground,
    arrived,
    async developer(options) {
      const page = await (options === undefined ? usualPage() : newPage(options));
      if (options !== undefined) fresh.push(page.context());
      const open = (path = '/sandbox') => page.goto(playground.url + path);
      return { page, complaints: consoleErrorsOf(page), open };
    },
    async openNewest(page, to, channel) {
      await arrived(to, channel);
      await page.goto(`${playground.url}/sandbox?channel=${channel}&to=${encodeURIComponent(to)}`);
      expect(await lines(page).count()).toBeGreaterThan(0);
    },
    async closeFreshBrowsers() {
      for (const context of fresh.splice(0)) await context.close();
    },
    async close() {
      await browser.close();
      await playground.close();
      receiver.close();
    },
  };
}
