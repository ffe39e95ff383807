import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** A page of the documentation, as far as it can be run or held against something. */
export interface DocPage {
  name: string;
  text: string;
  /** Functions of the shell that its commands call. */
  definitions: string;
  steps: readonly DocStep[];
  tables: readonly FieldTable[];
}

/** `meanwhile` is what a reader repeats between two requests of the page. It stands in a comment. */
export type DocStep =
  | { kind: 'request'; place: string; command: string; shown: ShownAnswer | null }
  | { kind: 'meanwhile'; place: string; what: string };

export interface ShownAnswer {
  /** Null where the page shows the body alone. */
  status: number | null;
  headers: readonly [name: string, value: string][];
  /** Undefined where the page shows none. */
  body: unknown;
}

/** A table under `<!-- fields: Title -->`: the fields of the schema of that title. */
export interface FieldTable {
  schema: string;
  place: string;
  rows: readonly string[][];
}

const ROOT = new URL('../../', import.meta.url);
/** A call of a service: of Waypost, not of somebody else's. */
const REQUEST = /^curl (?!.*https:)/m;
const PARTS = /^```(sh|http|json)\n(.*?)^```$|^<!-- (meanwhile|fields): (.*?) -->$/gms;

export function readPage(name: string): DocPage {
  const text = readFileSync(new URL(name, ROOT), 'utf8');
  const steps: DocStep[] = [];
  const tables: FieldTable[] = [];
  let definitions = '';
  for (const match of text.matchAll(PARTS)) {
    const [whole, language, code = '', comment, said = ''] = match;
    const place = `${name}:${text.slice(0, match.index).split('\n').length}`;
    const last = steps.at(-1);
    if (comment === 'meanwhile') steps.push({ kind: 'meanwhile', place, what: said });
    else if (comment === 'fields')
      tables.push({ schema: said, place, rows: tableAfter(text, match.index + whole.length) });
    else if (language === 'sh' && REQUEST.test(code))
      steps.push({ kind: 'request', place, command: code.slice(code.search(REQUEST)), shown: null });
    else if (language === 'sh' && code.startsWith('day() {')) definitions += code;
    else if (last?.kind === 'request' && (language === 'json' || code.startsWith('HTTP/1.1 ')))
      last.shown =
        language === 'http' ? shownAnswer(code) : { status: null, headers: [], body: JSON.parse(code) };
  }
  return { name, text, definitions, steps, tables };
}

function shownAnswer(code: string): ShownAnswer {
  const [head = '', ...rest] = code.trimEnd().split('\n\n');
  const [first = '', ...headers] = head.split('\n');
  const body = rest.join('\n\n');
  return {
    status: Number(/^HTTP\/1\.1 (\d{3}) /.exec(first)?.[1]),
    headers: headers.map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)]),
    body: body === '' ? undefined : JSON.parse(body),
  };
}

function tableAfter(text: string, at: number): string[][] {
  const lines = text.slice(at).trimStart().split('\n');
  const end = lines.findIndex((line) => !line.startsWith('|'));
  return lines.slice(2, end).map((line) =>
    line
      .split(/(?<!\\)\|/)
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}

export interface CurlRequest {
  url: string;
  method: string;
  headers: readonly [name: string, value: string][];
  body: string | null;
}

/** What curl would be told: a shell reads the command, so that its quotes and variables mean what they mean to a reader. */
export function readCommand(
  command: string,
  variables: Record<string, string>,
  definitions = '',
): CurlRequest {
  const script = `curl() { printf '%s\\0' "$@"; }\n${definitions}\n${command}`;
  const { stdout, stderr, status } = spawnSync('sh', ['-euc', script], {
    env: { PATH: process.env.PATH, ...variables },
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`no shell takes this: ${stderr}`);
  const words = stdout.split('\0').slice(0, -1);
  const values = (option: string) => words.filter((_, index) => words[index - 1] === option);
  const [body = null] = values('-d');
  const urls = words.filter((word, index) => !word.startsWith('-') && !OPTIONS.has(words[index - 1] ?? ''));
  const [url, ...more] = urls;
  if (url === undefined || more.length > 0)
    throw new Error(`there must be one address, but: ${urls.join(' ')}`);
  return {
    url,
    method: values('-X')[0] ?? (body === null ? 'GET' : 'POST'),
    headers: values('-H').map((line) => [
      line.slice(0, line.indexOf(':')).toLowerCase(),
      line.slice(line.indexOf(':') + 2),
    ]),
    body,
  };
}

const OPTIONS = new Set(['-X', '-H', '-d']);
