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
  // Half a megabyte that the browser reads anew: once per page, on however many screens it is judged.
  if ((await page.evaluate('typeof axe')) === 'undefined') await page.evaluate(axe.source);
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

type Open = (page: Page) => Promise<unknown>;

/** Another state of a page in the same list: the same template, with other data in it. */
interface Variant {
  variantOf: string;
  open: Open;
}

export const variantOf = (name: string, open: Open): Variant => ({ variantOf: name, open });

/** Pages by name, in an order in which a person could come by them. */
export type Pages = Record<string, Open | Variant>;

/** A screen to look at a page on. */
interface Screen {
  name: string;
  viewport: { width: number; height: number };
  colorScheme: 'light' | 'dark';
}

const DESKTOP: Screen = { name: 'desktop, light', viewport: DESKTOP_SCREEN, colorScheme: 'light' };
const JUDGED_ON: readonly Screen[] = [
  DESKTOP,
  { name: 'phone, dark', viewport: PHONE_SCREEN, colorScheme: 'dark' },
];
const SMALL_PHONE: Screen = { name: 'small phone', viewport: SMALL_PHONE_SCREEN, colorScheme: 'light' };
const WIDE: Screen = { name: 'wide screen', viewport: { width: 1600, height: 1000 }, colorScheme: 'light' };
const MEASURED_ON: readonly Screen[] = shortOrLong(0, 1)
  ? [DESKTOP, SMALL_PHONE, WIDE]
  : [DESKTOP, SMALL_PHONE];

/**
 * Goes through pages in their order, unfolded, and answers what was found wrong on which. Each is loaded once and looked at on
 * several screens. Judging whether everyone can use a page takes longest: the short tests judge no variants, and every
 * other page on one screen in turn.
 */
export async function faultsOnPages(
  browser: TestBrowser,
  name: string,
  pages: Pages,
): Promise<Record<string, string[]>> {
  const context = await browser.newProfile({
    viewport: DESKTOP_SCREEN,
    colorScheme: 'light',
    reducedMotion: 'reduce',
  });
  const page = await context.newPage();
  const complaints = consoleErrorsOf(page);
  const judgedOn = screensToJudgeOn(pages);
  const found: Record<string, string[]> = {};
  for (const [title, entry] of Object.entries(pages)) {
    await (typeof entry === 'function' ? entry : entry.open)(page);
    // A menu floats: unfolded, it would cover what the page is judged by.
    await page.evaluate(
      `for (const details of document.querySelectorAll('details:not(.menu)')) details.open = true`,
    );
    const faults = complaints.filter((text) => !/40[49]|422/.test(text));
    const judged = judgedOn.get(title) ?? [];
    // A change of the screen draws the page anew, so all that is looked for on one comes together.
    for (const screen of new Set([DESKTOP, ...judged, ...MEASURED_ON])) {
      await page.setViewportSize(screen.viewport);
      await page.emulateMedia({ colorScheme: screen.colorScheme });
      await saveScreenshot(page, `${name}, ${title}, ${screen.name}`);
      const onScreen = [
        ...(MEASURED_ON.includes(screen) ? await wider(page) : []),
        ...(judged.includes(screen) ? await hindrances(page) : []),
      ];
      faults.push(...onScreen.map((fault) => `${screen.name}: ${fault}`));
    }
    await page.setViewportSize(DESKTOP_SCREEN);
    if (faults.length > 0) found[title] = faults;
  }
  await context.close();
  return found;
}

/** On which screens each page is judged; the templates of a short run take the screens in turn. */
function screensToJudgeOn(pages: Pages): Map<string, readonly Screen[]> {
  for (const [title, entry] of Object.entries(pages))
    if (typeof entry !== 'function' && typeof pages[entry.variantOf] !== 'function')
      throw new Error(`“${title}” is said to vary “${entry.variantOf}”, which nobody judges.`);
  if (shortOrLong(0, 1)) return new Map(Object.keys(pages).map((title) => [title, JUDGED_ON]));
  const templates = Object.keys(pages).filter((title) => typeof pages[title] === 'function');
  return new Map(
    templates.map((title, ordinal) => [
      title,
      JUDGED_ON.filter((_, screen) => screen === ordinal % JUDGED_ON.length),
    ]),
  );
}

/** Pictures to look at, where someone asked for them. */
export async function saveScreenshot(page: Page, name: string): Promise<void> {
  const folder = process.env.SCREENSHOTS_DIR;
  if (folder) await page.screenshot({ path: join(folder, `${name}.png`) });
}
