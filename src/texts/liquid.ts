import { Context, type Emitter, filters, Liquid, type Template, toValue, toValueSync } from 'liquidjs';
import { TEXT_BODY_MAX } from '../config/limits.ts';

export const TAGS: readonly string[] = ['if', 'unless', 'case', 'for', 'assign', 'comment'];
export const FILTERS: readonly string[] = [
  'upcase',
  'downcase',
  'capitalize',
  'strip',
  'truncate',
  'truncatewords',
  'replace',
  'append',
  'prepend',
  'default',
  'escape',
  'date',
];

/** Parts of a text rendered, each turn of a loop counted again. A long text of ours takes about 40. */
export const STEPS_MAX = 10_000;
/** Characters that filters may make and numbers that ranges may hold, in all. */
export const MEMORY_MAX = 50_000;
/** More than a push may hold: what is longer is not worth measuring. */
const OUTPUT_MAX = 40_000;
/**
 * The other limits end a text long before; this one ends what they do not foresee. Of the processor's time: a busy machine may let a
 * process wait for longer, and what a text renders must not depend on that.
 */
const PROCESSOR_MAX_MS = 250;
/** Every name of a month or a day that it asks for is looked up. */
const DATE_FORMAT_MAX = 100;

export interface TextFault {
  line: number;
  message: string;
}

/** A text passed a limit, or asks for what cannot be. Its message goes on `line N: `. */
export class TextFailure extends Error {}

/** Values come from objects without a prototype, files from nowhere, dates are of UTC. */
export const liquid = new Liquid({
  ownPropertyOnly: true,
  strictFilters: true,
  templates: {},
  parseLimit: TEXT_BODY_MAX,
  timezoneOffset: 0,
  locale: 'en',
});
for (const name of Object.keys(liquid.tags)) if (!TAGS.includes(name)) delete liquid.tags[name];
for (const name of Object.keys(liquid.filters)) if (!FILTERS.includes(name)) delete liquid.filters[name];

const { date } = filters;
if (typeof date !== 'function') throw new Error('liquidjs has another date filter');
liquid.registerFilter('date', function (value, format, ...rest) {
  if (String(format).length > DATE_FORMAT_MAX)
    throw new TextFailure(`a date’s format is longer than ${DATE_FORMAT_MAX} characters`);
  return date.call(this, value, format, ...rest);
});

/** What the templates render, at most `OUTPUT_MAX` characters of it. Throws at whatever stops them. */
export function renderTemplates(templates: Template[], values: object): string {
  const options = { sync: true, memoryLimit: MEMORY_MAX };
  const context = new Context(bare(values), liquid.options, options, { liquid });
  context.renderLimit.check = stepLimit();
  const output = new BoundedOutput();
  toValueSync(liquid.renderer.renderTemplates(templates, context, output));
  return output.buffer;
}

/** Called by the library before every part. */
function stepLimit(): () => void {
  const start = process.cpuUsage();
  let steps = 0;
  return () => {
    steps += 1;
    const { user, system } = process.cpuUsage(start);
    if (steps > STEPS_MAX) throw new TextFailure(`takes more than ${STEPS_MAX} steps`);
    if (user + system > PROCESSOR_MAX_MS * 1_000) throw new TextFailure('takes too long');
  };
}

class BoundedOutput implements Emitter {
  buffer = '';

  write(value: unknown): void {
    this.buffer += shown(toValue(value));
    if (this.buffer.length > OUTPUT_MAX) throw new TextFailure(`renders more than ${OUTPUT_MAX} characters`);
  }
}

function shown(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'object' || typeof value === 'function')
    throw new TextFailure('a list cannot be shown as a text: name a field of its items');
  return String(value);
}

/** Without prototypes, and with nil for an empty text, so that `{% if customer.first_name %}` asks what it seems to. */
function bare(value: unknown): object {
  const copy = Object.create(null);
  for (const [name, field] of Object.entries(Object(value))) copy[name] = bareField(field);
  return copy;
}

function bareField(field: unknown): unknown {
  if (field === '') return null;
  if (Array.isArray(field)) return field.map(bare);
  return typeof field === 'object' && field !== null ? bare(field) : field;
}
