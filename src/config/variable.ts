/** One environment variable: what it means and what it may be. Its reader, its error messages and the page use the same. */
interface Described {
  /** For the page: what it is for. */
  about: string;
  /** What holds when it is unset, where that is no fixed value; 'required' where it must be set. */
  unset?: string;
  /** Its value can also come from a file, named by the variable with the suffix `_FILE`. */
  file?: true;
}

interface TextVariable extends Described {
  kind: 'text';
  default?: string;
}

interface IntegerVariable extends Described {
  kind: 'integer';
  default?: number;
  min: number;
  max: number;
}

interface ChoiceVariable extends Described {
  kind: 'choice';
  options: readonly string[];
  default: string;
}

export type Variable = TextVariable | IntegerVariable | ChoiceVariable;

export type Variables = Readonly<Record<string, Variable>>;
