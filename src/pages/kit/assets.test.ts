import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { brandTones, contrastOf, DEFAULT_COLOUR, ENOUGH_CONTRAST } from '../../kit/colour.ts';
import { loadShellAssets, readAsset } from './assets.ts';

type Tokens = Record<string, string>;

/** The named values of a style sheet, in the light and, where they differ, in the dark. */
function tokensOf(css: string): { light: Tokens; dark: Tokens } {
  const [light = {}, dark = {}] = [...css.matchAll(/:root \{([^}]*)\}/g)].map(([, block = '']) =>
    Object.fromEntries(
      [...block.matchAll(/--([\w-]+):\s*([^;]+);/g)].map(([, name = '', value = '']) => [name, value]),
    ),
  );
  return { light, dark: { ...light, ...dark } };
}

const ours = tokensOf(readAsset('shell.css'));
const inbox = tokensOf(readFileSync(new URL('../inbox/assets/inbox.css', import.meta.url), 'utf8'));

test.each(['light', 'dark'] as const)('in %s the pages wear the colours of the inbox', (scheme) => {
  const shared = Object.keys(inbox[scheme]).filter((name) => name in ours[scheme]);
  expect(shared.length).toBeGreaterThan(8);
  for (const name of shared) expect([name, ours[scheme][name]]).toEqual([name, inbox[scheme][name]]);
  const { ink, fill, onFill } = brandTones(DEFAULT_COLOUR, scheme);
  expect(ours[scheme]).toMatchObject({ ink, fill, 'on-fill': onFill });
});

test.each(['light', 'dark'] as const)('in %s every colour of text is legible on every paper', (scheme) => {
  const tokens = ours[scheme];
  const pairs = [
    ...['text', 'faint', 'waiting', 'ended', 'good', 'ink'].flatMap((ink) =>
      ['page', 'card', 'soft'].map((paper) => [ink, paper]),
    ),
    ...['code-text', 'code-faint', 'code-name', 'code-string', 'code-value'].map((ink) => [ink, 'code-page']),
    ...['waiting', 'ended', 'good', 'ink'].map((ink) => [ink, `${ink}-soft`]),
    ['on-fill', 'fill'],
    ['on-danger', 'danger'],
  ];
  const faint = pairs.filter(
    ([ink = '', paper = '']) => contrastOf(tokens[ink] ?? '', tokens[paper] ?? '') < ENOUGH_CONTRAST,
  );
  expect(faint).toEqual([]);
});

test('a changed file has another name, and every name is found', () => {
  const assets = loadShellAssets();
  const name = assets.nameOf('shell.css');
  expect(name).toMatch(/^shell-[0-9a-f]{10}\.css$/);
  expect(assets.find(name)).toEqual({
    name,
    type: 'text/css; charset=utf-8',
    content: readAsset('shell.css'),
  });
  expect(assets.find('shell.css')).toBeNull();
  expect(assets.find('../shellAssets.ts')).toBeNull();
});

test('htmx is served from the package that the lock file pins', () => {
  const assets = loadShellAssets();
  const content = assets.find(assets.nameOf('htmx.js'))?.content ?? '';
  expect(content).toMatch(/^var htmx=/);
  // The version in the file is the one that package.json asks for.
  expect(content).toContain(`version:"${pinned('htmx.org')}"`);
});

const pinned = (name: string): string =>
  JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8')).dependencies[name];
