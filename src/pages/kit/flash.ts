import type { BadgeTone } from './components.tsx';
import { queryOf } from './request.ts';

/** What an action just did, or why it did nothing: a note on the page that it leads to. */
export interface Flash {
  tone: BadgeTone;
  text: string;
}

/** The notes of a page by their names in its address. */
export type Flashes = Readonly<Record<string, readonly [BadgeTone, string]>>;

/** The note that the address of a page names; null: it names none of the page's. */
export function flashIn(request: { url: string }, flashes: Flashes): Flash | null {
  const { flash: name } = queryOf(request);
  if (name === undefined || !Object.hasOwn(flashes, name)) return null;
  const [tone, text] = flashes[name] ?? [];
  return tone === undefined || text === undefined ? null : { tone, text };
}
