/** One environment variable: what it means and what it may be. Its reader, its error messages and the page use the same. */
export interface Variable {
  kind: 'text' | 'integer' | 'choice' | 'choices';
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
  variables: Variables;
}

type Variables = Readonly<Record<string, Variable>>;
type Named<Of extends Variables> = Of & { readonly [Name in keyof Of]: { readonly name: Name & string } };

/** Variables that the page lists together; each knows its name, so that a reader is given the variable and nothing else. */
export function group<const Of extends Variables>(title: string, about: string, variables: Of) {
  nameEach(variables);
  return { title, about, variables };
}

function nameEach<Of extends Variables>(variables: Of): asserts variables is Named<Of> {
  for (const [name, variable] of Object.entries(variables)) Object.assign(variable, { name });
}

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

/** Some of the options, in the order that is written, separated by commas. */
export const choices = <const Options extends readonly string[]>(
  options: Options,
  fallback: Options[number],
  about: string,
) => ({ kind: 'choices', about, options, default: fallback }) as const;
