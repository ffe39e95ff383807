import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { browserTest, consoleErrorsOf, openBrowser, type TestBrowser } from '../support/browser.ts';
import { hindrances, saveScreenshot, wider } from '../support/pageFaults.ts';
import { startService, type TestService } from '../support/service.ts';
import { shortOrLong } from '../support/shortOrLong.ts';

/** The page with every shared component, which people look at and which axe reads. */
const PATH = '/dashboard/_components';
const SHARED = ['components', 'forms', 'dataTable', 'charts/charts'];
const read = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');

let service: TestService;
let browser: TestBrowser;
beforeAll(async () => {
  [service, browser] = await Promise.all([startService(), openBrowser()]);
});
afterAll(async () => {
  await browser.close();
  await service.close();
});

test('every shared component is on the page', () => {
  const page = read('src/pages/dashboard/components.tsx');
  const names = SHARED.flatMap((file) =>
    [...read(`src/pages/kit/${file}.tsx`).matchAll(/export function ([A-Z]\w*)/g)].map(
      ([, name = '']) => name,
    ),
  );
  expect(names.length).toBeGreaterThanOrEqual(10);
  expect(names.filter((name) => !page.includes(`<${name}`))).toEqual([]);
});

test('the page is there without signing in, and only where the sandbox is on', async () => {
  expect((await fetch(service.url + PATH)).status).toBe(200);
  const production = await startService({ NODE_ENV: 'production' });
  const answer = await fetch(production.url + PATH, { redirect: 'manual' });
  expect([answer.status, answer.headers.get('location')]).toEqual([
    303,
    '/dashboard/sign-in?to=/dashboard/_components',
  ]);
  await production.close();
});

const SCREENS = [320, 768, 1440].flatMap((width) =>
  (['light', 'dark'] as const).map((colorScheme) => ({ width, colorScheme })),
);
/** Each width and each scheme, if not each with each. */
const LOOKED_AT = SCREENS.filter((_, n) => shortOrLong([0, 3, 4].includes(n) ? 1 : 0, 1));

browserTest.each(LOOKED_AT)(
  'every component can be used at $width px in the $colorScheme',
  { timeout: 60_000 },
  async ({ width, colorScheme }) => {
    const context = await browser.newProfile({
      viewport: { width, height: 900 },
      colorScheme,
      reducedMotion: 'reduce',
    });
    const page = await context.newPage();
    const complaints = consoleErrorsOf(page);
    await page.goto(service.url + PATH);
    await saveScreenshot(page, `dashboard, components ${width} ${colorScheme}`);
    expect([...(await hindrances(page)), ...(await wider(page)), ...complaints]).toEqual([]);
    await context.close();
  },
);
