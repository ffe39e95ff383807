import { join } from 'node:path';
import axe from 'axe-core';
import type { Page } from 'playwright-core';
import {
  consoleErrorsOf,
  DESKTOP_SCREEN,
  PHONE_SCREEN,
  SMALL_PHONE_SCREEN,
  type TestBrowser,
} from './browser.ts';
import { shortOrLong } from './shortOrLong.ts';

/** What keeps someone from using the page, by WCAG 2.2 AA and good manners. */
export async function hindrances(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  const { violations }: axe.AxeResults = await page.evaluate(
    // What stands in a frame that may run no script (a mail in the sandbox) is not ours to judge here.
    `axe.run({ exclude: [['iframe[sandbox]']] }, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'], resultTypes: ['violations'] })`,
  );
  return violations.map(
    ({ id, nodes }) => `${id}: ${nodes.map((node) => node.html.slice(0, 200)).join(' ')}`,
  );
}

export async function wider(page: Page): Promise<string[]> {
  const pixels = Number(
    await page.evaluate(`document.documentElement.scrollWidth - document.documentElement.clientWidth`),
  );
  return pixels > 0 ? [`${pixels} pixels too wide`] : [];
}

/** A screen to look at a page on, and what is looked for there. */
interface Look {
  name: string;
  viewport: { width: number; height: number };
  colorScheme: 'light' | 'dark';
  faultsOn: (page: Page) => Promise<string[]>;
}

const FOR_EVERYONE: readonly Look[] = [
  { name: 'desktop, light', viewport: DESKTOP_SCREEN, colorScheme: 'light', faultsOn: hindrances },
  { name: 'phone, dark', viewport: PHONE_SCREEN, colorScheme: 'dark', faultsOn: hindrances },
];
const WIDTHS: readonly Look[] = [
  { name: 'small phone', viewport: SMALL_PHONE_SCREEN, colorScheme: 'light', faultsOn: wider },
  { name: 'wide screen', viewport: { width: 1600, height: 1000 }, colorScheme: 'light', faultsOn: wider },
];

/**
 * Goes through pages in their order, unfolded, and answers what was found wrong on which. Each is loaded once and looked at on
 * several screens. Judging whether everyone can use a page takes longest: the short tests do it on one screen in turn.
 */
export async function faultsOnPages(
  browser: TestBrowser,
  name: string,
  pages: Record<string, (page: Page) => Promise<unknown>>,
): Promise<Record<string, string[]>> {
  const context = await browser.newProfile({ viewport: DESKTOP_SCREEN, reducedMotion: 'reduce' });
  const page = await context.newPage();
  const complaints = consoleErrorsOf(page);
  const found: Record<string, string[]> = {};
  for (const [ordinal, [title, open]] of Object.entries(pages).entries()) {
    await open(page);
    await page.evaluate(`for (const details of document.querySelectorAll('details')) details.open = true`);
    const judged = FOR_EVERYONE.filter((_, n) => shortOrLong(n === ordinal % FOR_EVERYONE.length ? 1 : 0, 1));
    const faults = complaints.filter((text) => !/40[49]|422/.test(text));
    for (const { name: screen, viewport, colorScheme, faultsOn } of [...judged, ...WIDTHS]) {
      await page.setViewportSize(viewport);
      await page.emulateMedia({ colorScheme });
      await saveScreenshot(page, `${name}, ${title}, ${screen}`);
      faults.push(...(await faultsOn(page)).map((fault) => `${screen}: ${fault}`));
    }
    await page.setViewportSize(DESKTOP_SCREEN);
    if (faults.length > 0) found[title] = faults;
  }
  await context.close();
  return found;
}

/** Pictures to look at, where someone asked for them. */
export async function saveScreenshot(page: Page, name: string): Promise<void> {
  const folder = process.env.SCREENSHOTS_DIR;
  if (folder) await page.screenshot({ path: join(folder, `${name}.png`) });
}
