import { EVENTS, eventTypes } from '../../contract/eventTypes.ts';
import type { Field } from './fields.ts';
import { guideText, OVERVIEW_GUIDES, WEBHOOK_GUIDES } from './guideTexts.ts';
import type { ReferenceModel } from './model.ts';

/** Something that can be found in the reference. */
export interface DocEntry {
  /** Of the part of the reference. */
  id: string;
  /** The part that tells its page. */
  within: string;
  kind: 'Resource' | 'Operation' | 'Guide' | 'Error' | 'Event' | 'Field';
  title: string;
  /** Beside the title: where a field is, how an operation is called. */
  place: string;
  text: string;
}

export interface DocMatches {
  /** The best ones, best first. */
  entries: readonly DocEntry[];
  total: number;
}

/** The longest query that is looked for; the rest is left out. */
export const DOC_QUERY_MAX = 100;
const SHOWN_MAX = 30;

/** Everything that can be found, in the order in which equally good matches are shown. */
export function docEntriesOf({ groups, failures }: ReferenceModel): readonly DocEntry[] {
  const operations = groups.flatMap((group) => group.operations);
  return [
    ...groups.map(
      ({ id, name }): DocEntry => ({
        id,
        within: id,
        kind: 'Resource',
        title: name,
        place: '',
        text: plain(guideText(id)),
      }),
    ),
    ...operations.map(
      ({ id, method, path, summary, shortName, description }): DocEntry => ({
        id,
        within: id,
        kind: 'Operation',
        title: shortName,
        place: `${method} ${path} ${id}`,
        text: plain(`${summary}. ${description}`),
      }),
    ),
    ...[...OVERVIEW_GUIDES, ...WEBHOOK_GUIDES].map(
      ([id, title]): DocEntry => ({
        id,
        within: id,
        kind: 'Guide',
        title,
        place: '',
        text: plain(guideText(id)),
      }),
    ),
    ...failures.map(
      ({ status, code, sentence }): DocEntry => ({
        id: `error-${code}`,
        within: `error-${code}`,
        kind: 'Error',
        title: code,
        place: String(status),
        text: sentence,
      }),
    ),
    ...eventTypes.map(
      (type): DocEntry => ({
        id: `event-${type}`,
        within: `event-${type}`,
        kind: 'Event',
        title: type,
        place: '',
        text: plain(EVENTS[type].meaning),
      }),
    ),
    ...operations.flatMap(({ id, shortName, parameters, request, success }) => {
      const inside = (part: string, where: string, fields: readonly Field[]) =>
        fieldEntries(id, `${id}.${part}`, `${shortName}, ${where}`, fields);
      return [
        ...parameters.flatMap((parameter) => inside(parameter.place, PLACES[parameter.place], [parameter])),
        ...inside('body', 'body', request?.fields ?? []),
        ...inside('answer', 'answer', success.fields),
      ];
    }),
  ];
}

const PLACES = { path: 'in the path', query: 'in the query', header: 'header' } as const;

const fieldEntries = (within: string, id: string, place: string, fields: readonly Field[]): DocEntry[] =>
  fields.flatMap(({ name, description, rules, known, fields: inner }) => [
    {
      id: `${id}.${name}`,
      within,
      kind: 'Field',
      title: name,
      place,
      text: plain([description, rules.join('; '), known.join(', ')].filter(Boolean).join(' ')),
    },
    ...fieldEntries(within, `${id}.${name}`, place, inner),
  ]);

/** Text without the marks of code and links. */
const plain = (text: string): string =>
  text
    .replaceAll('`', '')
    .replace(/\[([^[\]]+)\]\([^()\s]+\)/g, '$1')
    .replace(/\s+/g, ' ')
    .trim();

/** The words of a query, in small letters. */
export const docTermsOf = (query: string): readonly string[] =>
  [...new Set(query.slice(0, DOC_QUERY_MAX).toLowerCase().split(/\s+/))].filter((term) => term !== '');

/** Entries that have every word of the query. A word in the title counts most, and an operation more than one of its fields. */
export function findInDocs(entries: readonly DocEntry[], query: string): DocMatches {
  const terms = docTermsOf(query);
  const scored = entries
    .map((entry) => ({ entry, score: scoreOf(entry, terms) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score);
  return { entries: scored.slice(0, SHOWN_MAX).map(({ entry }) => entry), total: scored.length };
}

const WEIGHTS: Readonly<Record<DocEntry['kind'], number>> = {
  Resource: 4,
  Operation: 4,
  Guide: 3,
  Error: 2,
  Event: 2,
  Field: 1,
};

/** 0: a word is missing. */
function scoreOf({ kind, title, place, text }: DocEntry, terms: readonly string[]): number {
  const [name, where, words] = [title.toLowerCase(), place.toLowerCase(), text.toLowerCase()];
  const scores = terms.map((term) => {
    if (name === term) return 12;
    if (name.startsWith(term)) return 8;
    if (name.includes(term)) return 6;
    return where.includes(term) ? 4 : words.includes(term) ? 1 : 0;
  });
  return scores.includes(0) ? 0 : WEIGHTS[kind] * scores.reduce<number>((sum, score) => sum + score, 0);
}

const BEFORE = 50;
const EXCERPT_MAX = 170;

/** The part of a text around the first word that was found. */
export function excerptOf(text: string, terms: readonly string[]): string {
  const small = text.toLowerCase();
  const places = terms.map((term) => small.indexOf(term)).filter((place) => place >= 0);
  const first = Math.max(0, Math.min(...places, text.length) - BEFORE);
  const start = places.length === 0 || first === 0 ? 0 : text.indexOf(' ', first) + 1;
  const end = start + EXCERPT_MAX < text.length ? text.lastIndexOf(' ', start + EXCERPT_MAX) : text.length;
  return `${start > 0 ? '… ' : ''}${text.slice(start, Math.max(end, start))}${end < text.length ? ' …' : ''}`;
}

/** A text in parts, each with whether it is one of the words. */
export function markedParts(text: string, terms: readonly string[]): { part: string; isTerm: boolean }[] {
  const small = text.toLowerCase();
  const parts: { part: string; isTerm: boolean }[] = [];
  let from = 0;
  // Some capitals are longer in small letters: places in one text are then not those in the other.
  while (small.length === text.length && from < text.length) {
    const [next] = terms
      .map((term) => ({ term, place: small.indexOf(term, from) }))
      .filter(({ place }) => place >= 0)
      .sort((a, b) => a.place - b.place || b.term.length - a.term.length);
    if (next === undefined) break;
    const end = next.place + next.term.length;
    parts.push(
      { part: text.slice(from, next.place), isTerm: false },
      { part: text.slice(next.place, end), isTerm: true },
    );
    from = end;
  }
  return [...parts, { part: text.slice(from), isTerm: false }].filter(({ part }) => part !== '');
}
