import type { Fault } from '../kit/errors.ts';
import type { UrlVerdict } from './endpointUrl.ts';
import { eventTypes } from './eventTypes.ts';

/** More faults than these help nobody, and would let a small request ask for a huge answer. */
const MAX_FAULTS = 100;
/** A longer value is not repeated in the fault about it. */
const MAX_INPUT_BYTES = 16 * 1024;

const known: ReadonlySet<string> = new Set(eventTypes);
const choices = eventTypes.map((type) => `'${type}'`);
const NOT_A_TYPE = `Input should be ${choices.slice(0, -1).join(', ')} or ${choices.at(-1)}`;

/** Everything that is wrong with the form of a request for an endpoint, in the vocabulary of Pydantic v2. */
export function formFaults(
  request: { url: string; eventTypes: readonly string[] },
  url: UrlVerdict,
): Fault[] {
  const types = request.eventTypes.flatMap((type, index): Fault[] =>
    known.has(type)
      ? []
      : [{ type: 'enum', loc: ['body', 'event_types', index], msg: NOT_A_TYPE, input: shown(type) }],
  );
  return [...(url.ok ? [] : [urlFault(url.fault, request.url)]), ...types].slice(0, MAX_FAULTS);
}

export const urlFault = (fault: string, url: string): Fault => ({
  type: 'value_error',
  loc: ['body', 'url'],
  msg: `Value error, ${fault}`,
  input: shown(url),
});

const shown = (text: string): string | null =>
  Buffer.byteLength(JSON.stringify(text)) > MAX_INPUT_BYTES ? null : text;
