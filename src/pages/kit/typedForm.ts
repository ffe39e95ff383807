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

/** A field of a form: the most characters that it takes, and the value of a text; undefined: `wrong` says what is wrong. */
export interface FieldSpec<T> {
  max: number;
  wrong: string;
  parse(text: string): T | undefined;
}
export type FormSpec = Readonly<Record<string, FieldSpec<unknown>>>;

export const textField = (max: number): FieldSpec<string> => ({ max, wrong: '', parse: (text) => text });

/** One line, which may be blank. */
export const lineField = (max: number): FieldSpec<string> => ({
  max,
  wrong: `One line of at most ${max} characters.`,
  parse: (text) => ([...text].length > max || /[\p{Cc}\p{Cs}]/u.test(text) ? undefined : text),
});

/** Longer than any option. */
const CHOICE_MAX = 64;

/** `blank` is chosen where the form has nothing. */
export const choiceField = <const T extends string>(
  options: readonly T[],
  wrong: string,
  blank?: T,
): FieldSpec<T> => ({
  max: CHOICE_MAX,
  wrong,
  parse: (text) => (text === '' ? blank : options.find((option) => option === text)),
});

interface ReadForm<S extends FormSpec> extends RefusedForm {
  /** Null: a field is wrong, and `faults` says why. */
  values: { [Name in keyof S]: S[Name] extends FieldSpec<infer T> ? T : never } | null;
}

/** Reads the fields that `spec` names. A text that is too long is cut, but stays too long: a character has two units at most. */
export function readForm<S extends FormSpec>(form: URLSearchParams, spec: S): ReadForm<S>;
export function readForm(form: URLSearchParams, spec: FormSpec) {
  const typed: Record<string, string> = {};
  const faults: Record<string, string> = {};
  const values: Record<string, unknown> = {};
  for (const [name, { max, wrong, parse }] of Object.entries(spec)) {
    const text = textIn(form, name, 2 * max + 1);
    typed[name] = text;
    values[name] = parse(text);
    if (values[name] === undefined) faults[name] = wrong;
  }
  return { typed, faults, values: Object.keys(faults).length === 0 ? values : null };
}

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
