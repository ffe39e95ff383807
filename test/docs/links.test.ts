import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const INTERFACE = 'docs/interface.md';
/** Packages, builds and data of a start are not ours to check. */
const SKIPPED = /^(node_modules|dist|coverage|\..*)$/;

function filesBelow(folder: string, ending: RegExp): string[] {
  return readdirSync(join(ROOT, folder), { withFileTypes: true }).flatMap((entry) => {
    if (SKIPPED.test(entry.name)) return [];
    const path = join(folder, entry.name);
    return entry.isDirectory() ? filesBelow(path, ending) : ending.test(entry.name) ? [path] : [];
  });
}

const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8');
const withoutCode = (text: string): string =>
  text.replace(/^( *)```.*?^\1```/gms, '').replace(/`[^`\n]*`/g, '');

interface Link {
  file: string;
  target: string;
  anchor: string | null;
  title: string | null;
}

/** Relative links only: what another host serves can change without us. */
function linksIn(file: string): Link[] {
  const links = withoutCode(read(file)).matchAll(
    /\]\((?![a-z]+:)([^)#\s]*)(?:#([^)\s]*))?(?:\s+"([^"]*)")?\)/g,
  );
  return Array.from(links, ([, path = '', anchor, title]) => ({
    file,
    target: path === '' ? file : relative('.', join(dirname(file), path)),
    anchor: anchor ?? null,
    title: title ?? null,
  }));
}

/** The anchors of a page: its headings, as GitHub makes them, and the ones that it names itself. */
function anchorsOf(file: string): Set<string> {
  const text = read(file);
  const headings = [...withoutFences(text).matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
  const named = [...text.matchAll(/<a id="([^"]+)"><\/a>/g)].map(([, id = '']) => id);
  return new Set([...headings, ...named]);
}

const withoutFences = (text: string): string => text.replace(/^( *)```.*?^\1```/gms, '');

/** A link to code names in its title what the reader looks for there: lines move whenever their file changes. */
function faultOf({ target, anchor, title }: Link): string | null {
  if (!existsSync(join(ROOT, target))) return 'no such file';
  if (anchor !== null)
    return target.endsWith('.md') && anchorsOf(target).has(anchor) ? null : 'no such heading';
  if (title === null) return null;
  return read(target).split(/\W+/).includes(title) ? null : `"${title}" is not in the file`;
}

const pages = filesBelow('', /\.md$/);
const links = pages.flatMap(linksIn);

describe('every relative link', () => {
  test('leads to a file that exists, and to a heading in it or to the name in its title', () => {
    const broken = links.flatMap((link) => {
      const fault = faultOf(link);
      return fault === null ? [] : [`${link.file}: ${link.target}#${link.anchor ?? ''}: ${fault}`];
    });
    expect(broken).toEqual([]);
  });

  test('is found at all: links to pages, to headings and to names in code', () => {
    expect(pages).toContain('README.md');
    expect(links.length).toBeGreaterThan(100);
    expect(links.some(({ title }) => title !== null)).toBe(true);
    expect(links.some(({ target, anchor }) => target.endsWith('.md') && anchor !== null)).toBe(true);
  });

  const linkTo = (target: string, anchor: string | null, title: string | null = null): Link => ({
    file: 'README.md',
    target,
    anchor,
    title,
  });

  test.each<[Link, string]>([
    [linkTo('docs/nowhere.md', null), 'no such file'],
    [linkTo('docs/README.md', 'nowhere'), 'no such heading'],
    [linkTo('package.json', 'L1'), 'no such heading'],
    [linkTo('package.json', null, 'nam'), '"nam" is not in the file'],
  ])('is refused when it leads nowhere: %o', (link, fault) => {
    expect(faultOf(link)).toBe(fault);
  });
});

/** A page that no other page leads to is not found by a reader. */
test('every page of the documentation is linked from another', () => {
  const linked = new Set(links.flatMap(({ file, target }) => (file === target ? [] : [target])));
  const reachable = (page: string): boolean => linked.has(page) || linked.has(dirname(page));
  expect(pages.filter((page) => page.startsWith('docs/') && !reachable(page))).toEqual([]);
});

/** Comments cite rules as "interface 2.8" or "interface, section 4"; tests begin their title with the number. */
const IN_COMMENTS = /\binterface(?:,| section|, section)? (\d+(?:\.\d+)*)/g;
const IN_TITLES = /\b(?:describe|test)(?:\.each\([^)]*\))?\(\s*['"`](\d+\.\d+(?:\.\d+)*) /g;

test('every rule that a comment or a test cites by its number is on the page of the interface', () => {
  const sources = ['src', 'test'].flatMap((folder) => filesBelow(folder, /\.tsx?$/));
  const cited = sources.flatMap((file) =>
    [IN_COMMENTS, IN_TITLES].flatMap((pattern) =>
      Array.from(read(file).matchAll(pattern), ([, number = '']) => ({ file, number })),
    ),
  );
  expect(cited.length).toBeGreaterThan(40);
  const numbers = anchorsOf(INTERFACE);
  expect(cited.filter(({ number }) => !numbers.has(number))).toEqual([]);
});
