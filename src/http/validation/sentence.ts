import type { Fault } from '../../kit/errors.ts';
import { isStorable } from './text.ts';

/** An item of a batch says what is wrong in a sentence, which is stored and replayed: it stays short. */
const FAULTS_SHOWN = 10;

/** `recipient_email: Field required; channels[1]: Input should be 'email', 'sms' or 'whatsapp'`, always storable. */
export function sentenceFor(faults: readonly Fault[]): string {
  const shown = faults
    .slice(0, FAULTS_SHOWN)
    .map(({ loc, msg }) => (loc.length === 0 ? msg : `${place(loc)}: ${msg}`));
  const left = faults.length - shown.length;
  return left === 0 ? shown.join('; ') : `${shown.join('; ')}; and ${left} more`;
}

function place(loc: Fault['loc']): string {
  return loc.reduce<string>((path, step) => {
    if (typeof step === 'number') return `${path}[${step}]`;
    const name = isStorable(step) ? step : escaped(step);
    return path === '' ? name : `${path}.${name}`;
  }, '');
}

/** JSON writes both a NUL and a lone surrogate as an escape, in plain ASCII. */
const escaped = (name: string): string => JSON.stringify(name).slice(1, -1);
