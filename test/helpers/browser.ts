import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type Page,
} from 'playwright-core';

/** The machine's own Chromium: nothing is downloaded for the tests. */
const EXECUTABLE = process.env.CHROMIUM_PATH ?? '/usr/bin/chromium';

/** It may run as root in a container, and must reach nothing but the server under test. */
const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

export const PHONE = { width: 390, height: 844 };
export const SMALL_PHONE = { width: 320, height: 640 };
export const DESKTOP = { width: 1280, height: 900 };

export interface TestBrowser {
  /** A fresh profile: no cookies, no history, nothing cached. */
  person(options?: BrowserContextOptions): Promise<BrowserContext>;
  close(): Promise<void>;
}

export async function openBrowser(): Promise<TestBrowser> {
  const browser: Browser = await chromium.launch({ executablePath: EXECUTABLE, headless: true, args: FLAGS });
  return {
    person: (options = {}) => browser.newContext({ viewport: PHONE, ...options }),
    close: () => browser.close(),
  };
}

/** Everything a page complained about: errors of scripts, what the content security policy blocked, failed requests. */
export function complaintsOf(page: Page): string[] {
  const complaints: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(error.message));
  return complaints;
}
