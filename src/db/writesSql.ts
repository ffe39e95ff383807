/*
 * Writes that belong together. On one Postgres they are one statement, which takes a tenth less time than one after the other. Citus
 * cannot send a statement to one shard that inserts in its `with` part: there they are steps of one transaction.
 */

export interface Writes {
  /** What several of them read. */
  reads?: Readonly<Record<string, string>>;
  /** In the order in which their rows refer to each other, and in which they are locked everywhere. */
  writes: Readonly<Record<string, Write>>;
  /** The one whose rows are counted. */
  counted?: string;
}

/** `after`: writes that clear a unique key for this one. Within one statement Postgres runs the parts in no fixed order. */
type Write = string | { after: readonly string[]; write: string };

const afterOf = (write: Write): readonly string[] => (typeof write === 'string' ? [] : write.after);
const textOf = (write: Write): string => (typeof write === 'string' ? write : write.write);

/** As one statement. `… >= 0` makes a part wait for those before it. */
export function atOnce({ reads = {}, writes, counted }: Writes): string {
  const isRead = new Set([...Object.values(writes).flatMap(afterOf), counted]);
  const parts = Object.entries(writes).map(([name, write]): [name: string, text: string] => {
    const rows = afterOf(write).map((before) => `(select count(*) from ${before})`);
    const condition = rows.length === 0 ? '' : ` where ${rows.join(' + ')} >= 0`;
    return [name, textOf(write) + condition + (isRead.has(name) ? ' returning 1' : '')];
  });
  const last = counted ? `select count(*)::int as counted from ${counted}` : parts.pop()?.[1];
  const all = [
    ...Object.entries(reads).map(([name, text]) => `${name} as materialized (${text})`),
    ...parts.map(([name, text]) => `${name} as (${text})`),
  ];
  return `with ${all.join(', ')} ${last}`;
}

/** As steps, each with what it reads. */
export const inSteps = ({ reads = {}, writes }: Writes): { name: string; text: string }[] =>
  Object.entries(writes).map(([name, write]) => {
    const text = textOf(write);
    const sources = new Set([...text.matchAll(/\b(?:from|join) (\w+)/g)].map(([, source]) => source));
    const used = Object.entries(reads).filter(([read]) => sources.has(read));
    const queries = used.map(([read, query]) => `${read} as (${query})`).join(', ');
    return { name, text: queries === '' ? text : `with ${queries} ${text}` };
  });
