/** One environment variable: what it means and what it may be. Its reader, its error messages and the page use the same. */
export interface Variable {
  kind: 'text' | 'integer' | 'choice';
  /** For the page: what it is for. */
  about: string;
  default?: string | number;
  /** What holds when it is unset, where that is no fixed value. */
  unset?: string;
  /** Its value can also come from a file, named by the variable with the suffix `_FILE`. */
  file?: true;
  options?: readonly string[];
}

/** Variables that the page lists together. */
export interface VariableGroup {
  title: string;
  /** When they are read. */
  about: string;
  variables: Readonly<Record<string, Variable>>;
}

export const group = <const Of extends VariableGroup['variables']>(
  title: string,
  about: string,
  variables: Of,
) => ({ title, about, variables });

export const text = (about: string, unset = 'unset') => ({ kind: 'text', about, unset }) as const;

export const textOr = (fallback: string, about: string) =>
  ({ kind: 'text', about, default: fallback }) as const;

export const textOrFile = (about: string, unset?: string) => ({ ...text(about, unset), file: true }) as const;

/** A text, perhaps in a file, that the chosen provider needs. */
export const required = (about: string) => textOrFile(about, 'required');

type Range = readonly [min: number, max: number];

export const integer = ([min, max]: Range, about: string, unset: string) =>
  ({ kind: 'integer', about, min, max, unset }) as const;

export const integerOr = (fallback: number, [min, max]: Range, about: string) =>
  ({ kind: 'integer', about, min, max, default: fallback }) as const;

export const choice = <const Options extends readonly string[]>(
  options: Options,
  fallback: Options[number],
  about: string,
) => ({ kind: 'choice', about, options, default: fallback }) as const;
