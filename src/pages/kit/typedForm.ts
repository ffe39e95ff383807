import type { FastifyRequest } from 'fastify';
import { OperatorError } from '../../kit/errors.ts';
import type { ParseValue } from '../../kit/typedValues.ts';
import { formOf, textIn } from './request.ts';

/** What was typed into a form and refused, by field: shown again with what is wrong. */
export interface RefusedForm {
  typed: Record<string, string>;
  /** `form` is about the whole of it. */
  faults: Record<string, string>;
}

export const EMPTY_FORM: RefusedForm = { typed: {}, faults: {} };

/** Longer than anything that a field of the operator's pages takes. */
const TYPED_MAX = 1_000;

export interface TypedForm {
  text(field: string): string;
  /** The value of a field that must be there; undefined: it is wrong, and `refused` says why. */
  required<T>(field: string, label: string, parse: ParseValue<T>): T | undefined;
  /** The same, where an empty field means null. */
  optional<T>(field: string, label: string, parse: ParseValue<T>): T | null | undefined;
  /** Null: nothing is wrong. */
  refused(): RefusedForm | null;
}

/** Reads a form by the same rules as the command line reads its flags. */
export function typedForm(request: FastifyRequest): TypedForm {
  const form = formOf(request);
  const faults: Record<string, string> = {};
  const text = (field: string): string => textIn(form, field, TYPED_MAX);
  const parsed = <T>(field: string, label: string, parse: ParseValue<T>): T | undefined => {
    try {
      return parse(text(field), label);
    } catch (error) {
      if (!(error instanceof OperatorError)) throw error;
      faults[field] = error.message;
      return undefined;
    }
  };
  return {
    text,
    required: parsed,
    optional: (field, label, parse) => (text(field) === '' ? null : parsed(field, label, parse)),
    refused: () =>
      Object.keys(faults).length === 0
        ? null
        : { typed: Object.fromEntries([...form.keys()].map((field) => [field, text(field)])), faults },
  };
}

/** Field props of a form that may have been refused. */
export const fieldState = ({ typed, faults }: RefusedForm, id: string, value = '') => ({
  id,
  value: typed[id] ?? value,
  ...(faults[id] !== undefined && { fault: faults[id] }),
});
