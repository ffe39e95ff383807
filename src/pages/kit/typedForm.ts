import { OperatorError } from '../../kit/errors.ts';
import type { ParseValue } from '../../kit/typedValues.ts';
import { textIn } from './request.ts';

/** What was typed into a form and refused, by field: shown again with what is wrong. */
export interface RefusedForm {
  typed: Record<string, string>;
  /** `form` is about the whole of it. */
  faults: Record<string, string>;
}

export const EMPTY_FORM: RefusedForm = { typed: {}, faults: {} };

/**
 * A field of a form: the most characters that it takes, and the value of a text. What is wrong with a text is `wrong` where the
 * value is undefined, or the message of the `OperatorError` that `parse` throws.
 */
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

/** Longer than anything that a field of the operator's pages takes. */
const TYPED_MAX = 1_000;

/** A field that must be there, read by the same rules as the command line reads its flags; `label` names it in what is wrong. */
export const typedField = <T>(label: string, read: ParseValue<T>): FieldSpec<T> => ({
  max: TYPED_MAX,
  wrong: '',
  parse: (text) => read(text, label),
});

/** The same, where an empty field means null. */
export const optionalField = <T>(label: string, read: ParseValue<T>): FieldSpec<T | null> =>
  typedField(label, (text, called) => (text === '' ? null : read(text, called)));

export type FormValues<S extends FormSpec> = {
  [Name in keyof S]: S[Name] extends FieldSpec<infer T> ? T : never;
};

interface ReadForm<S extends FormSpec> extends RefusedForm {
  /** Null: a field is wrong, and `faults` says why. */
  values: FormValues<S> | null;
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
    try {
      values[name] = parse(text);
      if (values[name] === undefined) faults[name] = wrong;
    } catch (error) {
      if (!(error instanceof OperatorError)) throw error;
      faults[name] = error.message;
    }
  }
  return { typed, faults, values: Object.keys(faults).length === 0 ? values : null };
}

/** Field props of a form that may have been refused. */
export const fieldState = ({ typed, faults }: RefusedForm, id: string, value = '') => ({
  id,
  value: typed[id] ?? value,
  ...(faults[id] !== undefined && { fault: faults[id] }),
});
