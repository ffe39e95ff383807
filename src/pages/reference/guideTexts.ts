import * as limits from '../../config/limits.ts';
import { HOUR, MINUTE, SECOND } from '../../kit/clock.ts';
import { TOLERANCE_SECONDS } from '../../kit/signedTime.ts';
import { readAsset } from '../kit/assets.ts';

type Guides = readonly (readonly [id: string, title: string])[];

/** The chapters of the overview. */
export const OVERVIEW_GUIDES: Guides = [
  ['start', 'Start here'],
  ['authentication', 'Authentication'],
  ['idempotency', 'Idempotency'],
  ['pagination', 'Pagination'],
  ['errors', 'Errors'],
  ['limits', 'Limits'],
];

/** The chapters of the page on webhooks. */
export const WEBHOOK_GUIDES: Guides = [
  ['webhooks', 'What arrives'],
  ['webhooks.signature', 'Check the signature'],
  ['webhooks.retries', 'Retries'],
  ['webhooks.events', 'Events'],
];

const span = (milliseconds: number): string => {
  if (milliseconds >= HOUR) return `${milliseconds / HOUR} h`;
  return milliseconds >= MINUTE ? `${milliseconds / MINUTE} min` : `${milliseconds / SECOND} s`;
};

/** What stands for a placeholder of the text. */
const FACTS: Readonly<Record<string, string>> = {
  keyHours: String(limits.IDEMPOTENCY_MEMORY_MS / HOUR),
  toleranceSeconds: String(TOLERANCE_SECONDS),
  timeoutSeconds: String(limits.WEBHOOK_TIMEOUT_MS / SECOND),
  retries: limits.WEBHOOK_RETRIES_MS.map(span).join(', '),
  failuresMax: String(limits.ENDPOINT_FAILURES_MAX),
  pageDefault: String(limits.PAGE_DEFAULT),
  pageMax: String(limits.PAGE_MAX),
};

/** The chapters' texts by their ids. */
const TEXTS: ReadonlyMap<string, string> = new Map(
  readAsset('guides.txt')
    .split(/^## /m)
    .map((chapter) => {
      const [id = '', ...text] = chapter.split('\n\n');
      return [id, text.join('\n\n').trim()];
    }),
);

/** A chapter's text; empty if it has none. `facts` stand for more placeholders. */
export const guideText = (id: string, facts: Readonly<Record<string, string>> = {}): string =>
  (TEXTS.get(id) ?? '').replaceAll(/\{(\w+)\}/g, (_, name: string) => facts[name] ?? FACTS[name] ?? '');
