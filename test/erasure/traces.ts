import type { Pool } from '../../src/db/pool.ts';

/** Something that must not be found any more, and every spelling it could hide in. */
export interface Canary {
  name: string;
  text: string;
}

const HEX_SHORTEST = 8;

/** Plain and in lower case, as a URL and a form write it, in base64 at each of its three alignments, and in hex. */
export function spellingsOf(text: string): string[] {
  const cases = [...new Set([text, text.toLowerCase()])];
  return [
    ...new Set(
      cases.flatMap((one) => [
        one,
        encodeURIComponent(one),
        encodeURIComponent(one).replaceAll('%20', '+'),
        JSON.stringify(one).slice(1, -1),
        ...base64Of(one),
        Buffer.from(one).toString('hex'),
      ]),
    ),
  ].filter((spelling) => spelling.length >= HEX_SHORTEST);
}

/** The part of the base64 that does not depend on what stands before and after, for each place a text may begin at. */
function base64Of(text: string): string[] {
  return [0, 1, 2].flatMap((before) => {
    const bytes = Buffer.concat([Buffer.alloc(before), Buffer.from(text)]);
    const whole = bytes.subarray(0, bytes.length - (bytes.length % 3)).toString('base64');
    const inner = whole.slice(before === 0 ? 0 : 4);
    return [inner, inner.replaceAll('+', '-').replaceAll('/', '_')];
  });
}

/** Where any of the canaries is found, in any spelling: `table.column: what`. Bytes are looked at in hex. */
export async function tracesInDatabase(pool: Pool, canaries: readonly Canary[]): Promise<string[]> {
  const columns = await pool.query<{ table: string; column: string }>(`
    select c.relname as table, a.attname as column from pg_class c
    join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    where c.relkind = 'r' and c.relnamespace = 'public'::regnamespace order by 1, a.attnum`);
  const found = new Set<string>();
  for (const { table, column } of columns.rows) {
    const { rows } = await pool.query<{ value: string }>(
      `select "${column}"::text as value from "${table}" where "${column}" is not null`,
    );
    for (const { value } of rows) {
      for (const name of tracesIn(value, canaries)) found.add(`${table}.${column}: ${name}`);
    }
  }
  return [...found].sort();
}

/** Which canaries a text holds, in any spelling. */
export function tracesIn(text: string, canaries: readonly Canary[]): string[] {
  return canaries
    .filter((canary) => {
      const spellings = known.get(canary.text) ?? spellingsOf(canary.text);
      known.set(canary.text, spellings);
      return spellings.some((spelling) => text.includes(spelling));
    })
    .map(({ name }) => name);
}

const known = new Map<string, string[]>();
