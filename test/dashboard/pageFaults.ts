import axe from 'axe-core';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { saveScreenshot } from '../pages/playground.ts';
import { consoleErrorsOf, type TestBrowser } from '../support/browser.ts';

/** What keeps someone from using the page, by WCAG 2.2 AA and good manners. */
export async function hindrances(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  const { violations }: axe.AxeResults = await page.evaluate(
    `axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'], resultTypes: ['violations'] })`,
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

/** Goes through pages in their order, unfolded, and answers what was found wrong on which. */
export async function faultsOnPages(
  browser: TestBrowser,
  {
    name,
    options,
    pages,
  }: {
    name: string;
    options: BrowserContextOptions;
    pages: Record<string, (page: Page) => Promise<unknown>>;
  },
  faultsOn: (page: Page) => Promise<string[]>,
): Promise<Record<string, string[]>> {
  const context = await browser.newProfile({ ...options, reducedMotion: 'reduce' });
  const page = await context.newPage();
  const complaints = consoleErrorsOf(page);
  const found: Record<string, string[]> = {};
  for (const [title, open] of Object.entries(pages)) {
    await open(page);
    await saveScreenshot(page, `dashboard, ${title} ${name}`);
    await page.evaluate(`for (const details of document.querySelectorAll('details')) details.open = true`);
    const faults = [...(await faultsOn(page)), ...complaints.filter((text) => !/40[49]|422/.test(text))];
    if (faults.length > 0) found[title] = faults;
  }
  await context.close();
  return found;
}
