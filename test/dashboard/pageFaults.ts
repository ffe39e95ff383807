import axe from 'axe-core';
import type { Page } from 'playwright-core';

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
