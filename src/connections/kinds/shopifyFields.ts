import { at, textAt } from '../../kit/json.ts';

/* What the store's resources have in common. Bodies are parsed exactly, so a long id is already a text. */

type Path = readonly (string | number)[];

const ID = /^\d{1,20}$/;
const GLOBAL_ID = /^gid:\/\/shopify\/\w+\/(\d{1,20})$/;

/** Of the resource itself. The global id is a text wherever it comes from, so it is exact even where numbers are not. */
export const ownId = (resource: unknown): string | null =>
  GLOBAL_ID.exec(textAt(resource, 'admin_graphql_api_id') ?? '')?.[1] ?? idAt(resource, 'id');

export function idAt(value: unknown, ...path: Path): string | null {
  const text = textAt(value, ...path);
  return text !== null && ID.test(text) ? text : null;
}

/** The store writes every time with its offset. */
const MOMENT = /^[12]\d{3}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/;

export function momentAt(value: unknown, ...path: Path): Date | null {
  const text = textAt(value, ...path);
  const moment = text !== null && MOMENT.test(text) ? new Date(text) : null;
  return moment === null || Number.isNaN(moment.getTime()) ? null : moment;
}

/** Longer texts of a store are cut. */
const LINE_MAX = 300;

/** On one line, without what cannot be shown or stored; null: nothing is left. */
export function lineAt(value: unknown, ...path: Path): string | null {
  const text = textAt(value, ...path) ?? '';
  const line = text.replace(/[\p{Cc}\p{Cf}\p{Cs}\s]+/gu, ' ').trim();
  return [...line].slice(0, LINE_MAX).join('').trim() || null;
}

/** The first of several paths that has a text. */
export function firstLine(value: unknown, paths: readonly Path[]): string | null {
  for (const path of paths) {
    const line = lineAt(value, ...path);
    if (line !== null) return line;
  }
  return null;
}

const MONEY = /^(\d{1,12})(?:\.(\d{1,2})0*)?$/;

/** `12.30` is 1230; null: it is no amount, or one of a currency with more decimals. */
export function hundredthsAt(value: unknown, ...path: Path): number | null {
  const [, whole, fraction = ''] = MONEY.exec(textAt(value, ...path) ?? '') ?? [];
  return whole === undefined ? null : Number(whole) * 100 + Number(fraction.padEnd(2, '0'));
}

export const isTrueAt = (value: unknown, ...path: Path): boolean => at(value, ...path) === true;
