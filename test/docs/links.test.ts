import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
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

function faultOf({ target, anchor, title }: Link): string | null {
  if (!existsSync(join(ROOT, target))) return 'no such file';
  if (anchor === null) return null;
  if (statSync(join(ROOT, target)).isDirectory()) return 'an anchor on a folder';
  if (target.endsWith('.md')) return anchorsOf(target).has(anchor) ? null : 'no such heading';
  const line = /^L(\d+)$/.exec(anchor)?.[1];
  if (line === undefined) return 'neither a heading nor a line';
  return faultOfLine(read(target).trimEnd().split('\n'), Number(line), title);
}

/** Lines move whenever their file changes, so the title of the link has the name that its line must show. */
function faultOfLine(lines: readonly string[], number: number, name: string | null): string | null {
  const line = lines[number - 1]?.trim();
  if (line === undefined) return `the file has ${lines.length} lines`;
  if (!name) return `no title that names what is on the line: ${line}`;
  const named = lines.flatMap((other, index) => (other.split(/\W+/).includes(name) ? [index + 1] : []));
  if (named.includes(number)) return null;
  return `"${name}" is on ${named.length > 0 ? `line ${named.join(', ')}` : 'no line'}; this line is: ${line}`;
}

const pages = filesBelow('', /\.md$/);
const links = pages.flatMap(linksIn);

describe('every relative link', () => {
  test('leads to a file that exists, and to a heading in it or to the line that its title names', () => {
    const broken = links.flatMap((link) => {
      const fault = faultOf(link);
      return fault === null ? [] : [`${link.file}: ${link.target}#${link.anchor ?? ''}: ${fault}`];
    });
    expect(broken).toEqual([]);
  });

  test('is found at all: links to pages, to headings and to lines', () => {
    expect(pages).toContain('README.md');
    expect(links.length).toBeGreaterThan(100);
    expect(links.some(({ anchor }) => anchor !== null && /^L\d+$/.test(anchor))).toBe(true);
    expect(links.some(({ target, anchor }) => target.endsWith('.md') && anchor !== null)).toBe(true);
  });

  const linkTo = (target: string, anchor: string | null, title: string | null = null): Link => ({
    file: 'README.md',
    target,
    anchor,
    title,
  });

  test.each<[Link, string | RegExp]>([
    [linkTo('docs/nowhere.md', null), 'no such file'],
    [linkTo('docs/README.md', 'nowhere'), 'no such heading'],
    [linkTo('package.json', 'L0'), /^the file has \d+ lines$/],
    [linkTo('package.json', 'L99999'), /^the file has \d+ lines$/],
    [linkTo('package.json', 'scripts'), 'neither a heading nor a line'],
    [linkTo('package.json', 'L1'), /^no title that names what is on the line: \{$/],
    [linkTo('package.json', 'L1', ''), /^no title that names what is on the line: \{$/],
    [linkTo('package.json', 'L1', 'name'), /^"name" is on line 2\b.*; this line is: \{$/],
    [linkTo('package.json', 'L2', 'nam'), /^"nam" is on no line; this line is: "name": /],
  ])('is refused when it leads nowhere: %o', (link, fault) => {
    expect(faultOf(link)).toMatch(fault);
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
