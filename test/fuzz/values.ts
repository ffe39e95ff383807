import fc from 'fast-check';
import type { DocumentSchema } from '../support/openApi.ts';

type Values = fc.Arbitrary<unknown>;
/** What to put where the document cannot know what exists: by the name of the field or parameter. */
export type Hints = Readonly<Record<string, Values>>;

/** Values that the schema describes. */
export function validValues(schema: DocumentSchema, hints: Hints, name = ''): Values {
  const hint = hints[name];
  if (schema.anyOf)
    return fc.oneof(
      ...schema.anyOf.map((member) => ({
        weight: member.type === 'null' ? 1 : 4,
        arbitrary: validValues(member, hints, name),
      })),
    );
  if (schema.enum) return fc.constantFrom(...schema.enum);
  switch (schema.type) {
    case 'object':
      return fittingObject(schema, hints);
    case 'array':
      return fc.array(validValues(schema.items ?? {}, hints, name), {
        minLength: schema.minItems ?? 0,
        maxLength: Math.min(schema.maxItems ?? 4, 4),
      });
    case 'string':
      return hint
        ? fc.oneof({ weight: 5, arbitrary: hint }, { weight: 1, arbitrary: fittingText(schema) })
        : fittingText(schema);
    case 'integer':
      return hint ?? fc.integer({ min: schema.minimum ?? -1_000, max: schema.maximum ?? 1_000 });
    case 'boolean':
      return fc.boolean();
    case 'null':
      return fc.constant(null);
    default:
      return anything;
  }
}

function fittingObject({ properties = {}, required = [] }: DocumentSchema, hints: Hints): Values {
  const model = Object.fromEntries(
    Object.entries(properties).map(([name, field]) => [name, validValues(field, hints, name)]),
  );
  return fc.record(model, { requiredKeys: required });
}

const DAY_MS = 86_400_000;

function fittingText({
  format,
  pattern,
  minLength = 0,
  maxLength = 200,
}: DocumentSchema): fc.Arbitrary<string> {
  if (format === 'email') return fc.tuple(word, word).map(([name, host]) => `${name}@${host}.example`);
  if (format === 'date-time')
    return fc
      .integer({ min: DAY_MS / 24, max: 80 * DAY_MS })
      .map((ahead) => new Date(Date.now() + ahead).toISOString());
  if (format === 'date')
    return fc.oneof(
      fc
        .integer({ min: -200, max: 200 })
        .map((days) => new Date(Date.now() + days * DAY_MS).toISOString().slice(0, 10)),
      fc.constantFrom('0001-01-01', '9999-12-31'),
    );
  const lengths = { minLength, maxLength };
  if (pattern?.startsWith('^(') || pattern?.includes(']*['))
    return fc.stringMatching(new RegExp(pattern)).filter(({ length }) => length <= maxLength);
  if (pattern?.startsWith('^[')) return fc.string({ unit: fc.constantFrom(...'aZ09#_./-'), ...lengths });
  const text = fc.oneof(
    fc.string({ unit: 'grapheme', ...lengths, size: 'small' }),
    fc.constant('x'.repeat(maxLength)),
  );
  return pattern === undefined ? text : text.map((some) => (some.trim() === '' ? 'x' : some));
}

const word = fc.string({ unit: fc.constantFrom(...'abcdefghij0123456789'), minLength: 1, maxLength: 8 });

/** Texts that break things: not storable, invisible, very long, or meaning something to someone. */
export const nastyText: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(
    '',
    ' ',
    '\u0000',
    'a\u0000b',
    '\ud800',
    '\udc00\ud800',
    '\u202e\u200b\ufeff',
    "' or 1=1; --",
    '../../etc/passwd',
    '%00%ff%',
    '{{7*7}}',
    '__proto__',
    'constructor',
    '9'.repeat(400),
    '-1',
    '1e999',
    'null',
    '2099-02-31T25:61:61+99:99',
    '\r\nX-Injected: 1',
    'x'.repeat(20_000),
    '🎁'.repeat(301),
  ),
  fc.string({ unit: 'binary', maxLength: 50 }),
  fc.string({
    unit: fc.integer({ min: 0, max: 0xffff }).map((unit) => String.fromCharCode(unit)),
    maxLength: 30,
  }),
);

/** Any JSON at all. */
export const anything: Values = fc.oneof(
  nastyText,
  fc.constantFrom(
    null,
    true,
    false,
    0,
    -0,
    0.5,
    -1,
    1e21,
    Number.MAX_SAFE_INTEGER + 1,
    5e-324,
    [],
    {},
    [[]],
    [null],
    { '': '' },
  ),
  fc.jsonValue({ maxDepth: 4 }),
  fc.integer({ min: 1, max: 60 }).map((depth) => JSON.parse('['.repeat(depth) + ']'.repeat(depth))),
);

/** Values that the schema describes, changed in one or more places. */
export function invalidValues(schema: DocumentSchema, hints: Hints): Values {
  return fc
    .tuple(validValues(schema, hints), fc.array(change, { minLength: 1, maxLength: 3 }))
    .map(([value, changes]) => changes.reduce((changed, one) => apply(changed, one), value));
}

interface Change {
  at: number;
  kind: 'replace' | 'remove' | 'add' | 'repeat';
  name: string;
  junk: unknown;
}

const change: fc.Arbitrary<Change> = fc.record({
  at: fc.nat(),
  kind: fc.constantFrom('replace', 'replace', 'remove', 'add', 'repeat'),
  name: fc.oneof(fc.constantFrom('items', 'subject', 'unknown', '__proto__'), nastyText),
  junk: anything,
});

type Path = readonly (string | number)[];

function apply(value: unknown, { at, kind, name, junk }: Change): unknown {
  const paths = pathsOf(value, []);
  const path = paths[at % paths.length] ?? [];
  return at % 20 === 0 ? junk : changedAt(value, path, (place) => changedPlace(place, kind, name, junk));
}

function changedPlace(place: unknown, kind: Change['kind'], name: string, junk: unknown): unknown {
  if (kind === 'remove') return undefined;
  if (kind === 'add' && isPlain(place)) return Object.fromEntries([...Object.entries(place), [name, junk]]);
  if (kind === 'repeat' && Array.isArray(place)) return Array.from({ length: 101 }, () => place[0] ?? junk);
  return junk;
}

function changedAt(value: unknown, path: Path, to: (place: unknown) => unknown): unknown {
  const [step, ...rest] = path;
  if (step === undefined) return to(value);
  if (Array.isArray(value))
    return value.map((member, index) => (index === step ? changedAt(member, rest, to) : member));
  if (!isPlain(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      name,
      name === step ? changedAt(member, rest, to) : member,
    ]),
  );
}

function pathsOf(value: unknown, path: Path): Path[] {
  const members: [string | number, unknown][] = Array.isArray(value)
    ? [...value.entries()]
    : isPlain(value)
      ? Object.entries(value)
      : [];
  return [path, ...members.flatMap(([step, member]) => pathsOf(member, [...path, step]))];
}

const isPlain = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
