import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type Page,
} from 'playwright-core';
import { test } from 'vitest';
import { browserProgram } from './sharedResources.ts';

/** Null where none runs. Found once in a run, when the first file that imports this one is loaded. */
const program = await browserProgram();

/** A test that needs a browser: skipped where there is none. */
export const browserTest = test.skipIf(program === null);

/** It may run as root in a container, and must reach nothing but the server under test. */
const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  // Pages live too briefly for optimised code to be worth its making: axe takes an eighth less CPU time without.
  '--js-flags=--no-opt --no-maglev',
  // A window's address bar loads pages of its own: half the CPU time of each new person.
  `--disable-features=${[
    'WebUIOmniboxPopup',
    'WebUIOmniboxAimPopup',
    'WebUIOmniboxFullPopup',
    // Of Playwright's own list, which this one replaces, what concerns pages on this machine.
    'AvoidUnnecessaryBeforeUnloadCheckSync',
    'DestroyProfileOnBrowserClose',
    'HttpsUpgrades',
    'LensOverlay',
    'MediaRouter',
    'OptimizationHints',
    'PaintHolding',
    'PreconnectToSearch',
    'NetworkTimeServiceQuerying',
    // The next page takes over the frame of the last one: a sixth less CPU time per page.
    'RenderDocument',
  ].join(',')}`,
];

const NO_BROWSER = 'There is no browser here: a test that needs one is a browserTest.';

export const PHONE_SCREEN = { width: 390, height: 844 };
export const SMALL_PHONE_SCREEN = { width: 320, height: 640 };
export const DESKTOP_SCREEN = { width: 1280, height: 900 };

export interface TestBrowser {
  /** A fresh profile: no cookies, no history, nothing cached. */
  newProfile(options?: BrowserContextOptions): Promise<BrowserContext>;
  close(): Promise<void>;
}

/** One for all files that run in this process, since a start takes seconds. It ends with the process. */
let running: Promise<Browser> | null = null;

/** Where there is none this is no error: a file may have tests that need no browser. */
export async function openBrowser(): Promise<TestBrowser> {
  if (program === null)
    return { newProfile: () => Promise.reject(new Error(NO_BROWSER)), close: async () => {} };
  running ??= chromium.launch({ executablePath: program, headless: true, args: FLAGS });
  const browser = await running;
  const profiles: BrowserContext[] = [];
  return {
    async newProfile(options = {}) {
      const profile = await browser.newContext({ viewport: PHONE_SCREEN, ...options });
      profiles.push(profile);
      return profile;
    },
    async close() {
      await Promise.all(profiles.map((profile) => profile.close()));
    },
  };
}

/** What htmx prints when a page is left while it is being brought up to date. */
const LEFT_WHILE_UPDATING = /^htmx:(afterRequest|sendAbort), /;

/** Everything a page complained about: errors of scripts, what the content security policy blocked, failed requests. */
export function consoleErrorsOf(page: Page): string[] {
  const complaints: string[] = [];
  page.on('console', (message) => {
    if (message.type() !== 'error' && message.type() !== 'warning') return;
    if (!LEFT_WHILE_UPDATING.test(message.text())) complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(error.message));
  return complaints;
}
