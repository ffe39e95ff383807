import { Fragment, type Html } from '../kit/jsxRuntime.ts';
import { dictionaries } from './dictionaries.ts';
import { type Language, languageFor } from './languages.ts';
import type {
  CountedName,
  Dictionary,
  FilledName,
  MessageName,
  Placeholders,
  PlainName,
} from './translation.ts';

type Values<Name extends MessageName> = Readonly<Record<Placeholders<Name>, string>>;
/** The messages about an order, with or without its reference. */
type AboutOrder = Extract<MessageName, `order.${string}` | 'email.update' | 'email.changed' | 'sms.update'>;

/** Our messages, dates and numbers in one language. */
export class Words {
  readonly language: Language;
  readonly #dictionary: Dictionary;
  readonly #plural: Intl.PluralRules;
  readonly #number: Intl.NumberFormat;
  readonly #moment: Intl.DateTimeFormat;

  constructor(language: Language, dictionary: Dictionary) {
    this.language = language;
    this.#dictionary = dictionary;
    this.#plural = new Intl.PluralRules(language);
    this.#number = new Intl.NumberFormat(LOCALES[language] ?? language);
    this.#moment = new Intl.DateTimeFormat(LOCALES[language] ?? language, MOMENT);
  }

  text(name: PlainName): string {
    return this.#message(name);
  }

  /** The values stand in it as they are: whoever shows the text escapes it. */
  fill<Name extends FilledName>(name: Name, values: Values<Name>): string {
    return filled(this.#message(name), values);
  }

  /** The same with elements as values. */
  html<Name extends FilledName>(name: Name, values: Readonly<Record<Placeholders<Name>, Html>>): Html {
    // Every second part is the name of a placeholder.
    const parts = this.#message(name).split(PLACEHOLDER);
    return Fragment({
      children: parts.map((part, at) => (at % 2 === 0 ? part : named<Html>(values, part))),
    });
  }

  /** A message with a number, in the form that the language has for it. */
  count(name: CountedName, count: number): string {
    const forms = this.#dictionary[name];
    if (typeof forms === 'string') throw new TypeError(`${name} has no plural forms`);
    const form = forms[this.#plural.select(count)] ?? forms.other;
    if (form === undefined) throw new TypeError(`${name} has no form for ${count}`);
    return filled(form, { count: this.#number.format(count) });
  }

  /** A message about an order. Without a reference, its place is left out with the space before it. */
  ofOrder(name: AboutOrder, reference: string | null): string {
    const message = this.#message(name);
    return reference === null ? message.replace(' {reference}', '') : filled(message, { reference });
  }

  /** A date and time in UTC. */
  moment(at: Date): string {
    return this.#moment.format(at);
  }

  /** The clause as a sentence's beginning. */
  sentence(clause: string): string {
    const [first = ''] = clause;
    return first.toLocaleUpperCase(this.language) + clause.slice(first.length);
  }

  #message(name: Exclude<MessageName, CountedName>): string {
    const message = this.#dictionary[name];
    if (typeof message !== 'string') throw new TypeError(`${name} has plural forms`);
    return message;
  }
}

/** Where a language's usual dates are not those of its first country. */
const LOCALES: Partial<Record<Language, string>> = { en: 'en-GB', pt: 'pt-PT' };

const MOMENT: Intl.DateTimeFormatOptions = {
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  timeZone: 'UTC',
  timeZoneName: 'short',
};

const PLACEHOLDER = /\{(\w+)\}/g;

/** The replacement is a function, so that `$` in a value is not read as a pattern. */
function filled(text: string, values: Readonly<Record<string, string>>): string {
  return text.replace(PLACEHOLDER, (_, name: string) => named(values, name));
}

function named<Value>(values: Readonly<Record<string, Value>>, name: string): Value {
  const value = values[name];
  if (value === undefined) throw new TypeError(`nothing stands for {${name}}`);
  return value;
}

/** Made when first needed: the formats of a language take some milliseconds. */
const made = new Map<Language, Words>();

export function wordsIn(language: Language): Words {
  const before = made.get(language);
  if (before !== undefined) return before;
  const words = new Words(language, dictionaries[language]);
  made.set(language, words);
  return words;
}

/** The words for a person with this tag, of a business with that language. */
export const wordsFor = (tag: string | null, ofBusiness: string): Words =>
  wordsIn(languageFor(tag, ofBusiness));
