import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseSync, Visitor } from 'rolldown/utils';

/** A regular expression of the source, and where it stands. */
export interface Pattern {
  place: string;
  regex: RegExp;
}

const SOURCE = fileURLToPath(new URL('../../src', import.meta.url));

/** Every literal, found by a parser, and every place that makes one from text. */
export function patternsOfSource(): { literals: Pattern[]; made: string[] } {
  const literals: Pattern[] = [];
  const made: string[] = [];
  for (const name of readdirSync(SOURCE, { recursive: true, encoding: 'utf8' })) {
    if (!/\.tsx?$/.test(name) || /\.test\.tsx?$/.test(name)) continue;
    const text = readFileSync(join(SOURCE, name), 'utf8');
    const placeOf = ({ start }: { start: number }): string =>
      `${name}:${text.slice(0, start).split('\n').length}`;
    const { program, errors } = parseSync(name, text);
    if (errors[0] !== undefined) throw new Error(`${name} does not parse: ${errors[0].message}`);
    new Visitor({
      Literal(node) {
        if ('regex' in node)
          literals.push({ place: placeOf(node), regex: new RegExp(node.regex.pattern, node.regex.flags) });
      },
      NewExpression(node) {
        if (node.callee.type === 'Identifier' && node.callee.name === 'RegExp') made.push(placeOf(node));
      },
    }).visit(program);
  }
  return { literals, made };
}

/** Characters that could keep this pattern busy: those it names, and one of each class it uses. */
function alphabetOf({ source }: RegExp): string[] {
  const classes: Record<string, string> = {
    d: '1',
    w: 'a',
    s: ' ',
    D: 'a',
    W: '-',
    S: 'a',
    p: 'é',
    b: 'a',
    r: '\r',
    n: '\n',
    t: '\t',
  };
  const named = [...source.matchAll(/\\(.)/g)].map(([, letter = '']) => classes[letter] ?? letter);
  const plain = [...source.replace(/\\./g, '').replace(/[()[\]{}|?*+^$]/g, '')];
  return [...new Set(['a', '0', ' ', ...named, ...plain])].slice(0, MOST_CHARACTERS);
}

const MOST_CHARACTERS = 14;

/** Texts of any length, each of a kind on which a careless pattern goes back over what it has read. */
export function hostileTexts(regex: RegExp): ((length: number) => string)[] {
  const alphabet = alphabetOf(regex);
  const pumps = alphabet.flatMap((first) =>
    alphabet.map((second) => (first === second ? first : first + second)),
  );
  // Where a pattern begins with plain text, it must be led past it to do its worst.
  const start = /^\^?((?:[\w:/@<=. -]|\\[/.:-])+)/.exec(regex.source)?.[1]?.replaceAll('\\', '') ?? '';
  const starts = start === '' ? [''] : ['', start];
  return pumps.flatMap((pump) =>
    starts.map((before) => (length: number) => {
      const pumped = pump.repeat(Math.ceil(length / pump.length));
      return `${before}${pumped}\u0000`;
    }),
  );
}
