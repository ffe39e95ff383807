import fc from 'fast-check';
import { expect, test } from 'vitest';
import { csvLine } from './csv.ts';

test.each([
  [['a', 'b'], 'a,b'],
  [['a,b', 'say "hi"', 'two\nlines'], '"a,b","say ""hi""","two\nlines"'],
  [[1, -2.5, null, new Date('2026-01-02T03:04:05.678Z')], '1,-2.5,,2026-01-02T03:04:05.678Z'],
  [['=1+1', '+49 151', '-cmd', '@SUM(A1)'], `"'=1+1","'+49 151","'-cmd","'@SUM(A1)"`],
  [['\t=1', ' =1', '\r\n@x', '|calc', '%0A'], `"'\t=1","' =1","'\r\n@x","'|calc","'%0A"`],
  [['a=1', '#1001', 'x@shop.example'], 'a=1,#1001,x@shop.example'],
])('the cells %j', (cells, line) => {
  expect(csvLine(cells)).toBe(`${line}\r\n`);
});

test('no text begins a formula, and every text can be read back', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (text) => {
      const cell = csvLine([text, 'end']).slice(0, -',end\r\n'.length);
      const read = cell.startsWith('"') ? cell.slice(1, -1).replaceAll('""', '"') : cell;
      expect(read.trimStart()).not.toMatch(/^[=+@-]/);
      expect([text, `'${text}`]).toContain(read);
    }),
  );
});
