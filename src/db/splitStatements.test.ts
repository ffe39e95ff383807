import fc from 'fast-check';
import { expect, test } from 'vitest';
import { splitStatements } from './splitStatements.ts';

test.each([
  ['statements, the last with or without a semicolon', 'select 1; select 2', ['select 1', 'select 2']],
  ['nothing', ' ;\n;; ', []],
  ['a text', `select 'a;b'; select ';'';'`, [`select 'a;b'`, `select ';'';'`]],
  [
    'a text that ends with a backslash',
    String.raw`select '\'; select 2`,
    [String.raw`select '\'`, 'select 2'],
  ],
  [
    'a text with escapes',
    String.raw`select E'\';''\\'; select e';'`,
    [String.raw`select E'\';''\\'`, `select e';'`],
  ],
  [
    'a name that ends with an e before a text',
    String.raw`select type'\'; x`,
    [String.raw`select type'\'`, 'x'],
  ],
  ['a quoted name', 'select 1 as ";"";"; select 2', ['select 1 as ";"";"', 'select 2']],
  ['a dollar quote', `do $$ begin; ' end; $$; select 2`, [`do $$ begin; ' end; $$`, 'select 2']],
  ['a dollar quote with a name', 'do $a$ ; $$ ; $A$ ; $a$; x', ['do $a$ ; $$ ; $A$ ; $a$', 'x']],
  [
    'dollars that quote nothing',
    'select a$b$; select $1; select c$b$',
    ['select a$b$', 'select $1', 'select c$b$'],
  ],
  ['a comment', `-- it's; so\nselect 1; -- "after;\n`, [`-- it's; so\nselect 1`, '-- "after;']],
  [
    'nested comments',
    `/* a; /* it's */ ; */ select 1; /*/ ; */ x`,
    [`/* a; /* it's */ ; */ select 1`, '/*/ ; */ x'],
  ],
  ['comments in a text', `select '--', '/*'; select 2`, [`select '--', '/*'`, 'select 2']],
  ['a text that does not end', `select 1; select 'a; b`, ['select 1', `select 'a; b`]],
])('splits at semicolons, with %s', (_name, script, statements) => {
  expect(splitStatements(script)).toEqual(statements);
});

test('whatever the statements are made of, they come back one by one', () => {
  const inside = fc
    .array(fc.constantFrom(';', ' ', 'a', '$$', '--', '"', '\n', '('))
    .map((parts) => parts.join(''));
  const part = fc.oneof(
    fc.constantFrom('select', '1', 'a.b', '$1', 'n$', '<=', '-', '/', '*', '(', ','),
    inside.map((text) => `'${text}'`),
    inside.map((text) => String.raw`E'${text}\''`),
    inside.map((text) => `"${text.replaceAll('"', '""')}"`),
    inside.map((text) => `$tag$${text}'$tag$`),
    inside.map((text) => `-- ${text.replaceAll('\n', '')} '\n`),
    inside.map((text) => `/* ${text} /* ' */ */`),
  );
  const statement = fc
    .array(part, { minLength: 1 })
    .map((parts) => parts.join(' ').trim())
    // A comment up to the end of the line would hide the semicolon behind it.
    .map((text) => `${text}\nx`);
  fc.assert(
    fc.property(fc.array(statement), (statements) => {
      expect(splitStatements(statements.join(';'))).toEqual(statements);
    }),
  );
});
