import { Fragment, type Html } from '../kit/jsxRuntime.ts';
import { dictionaries } from './dictionaries.ts';
import type { Language } from './languages.ts';
import type { Dictionary, FilledName, MessageName, Placeholders, PlainName } from './translation.ts';

type Values<Name extends MessageName> = Readonly<Record<Placeholders<Name>, string>>;
/** The messages about an order, with or without its reference. */
type AboutOrder = Extract<MessageName, `order.${string}` | 'email.update' | 'email.changed' | 'sms.update'>;

/** Our messages and dates in one language. */
export class Words {
  readonly language: Language;
  readonly #dictionary: Dictionary;
  readonly #moment: Intl.DateTimeFormat;
  /** By their options: most pages and mails need none. */
  readonly #days = new Map<Intl.DateTimeFormatOptions, Intl.DateTimeFormat>();

  constructor(language: Language, dictionary: Dictionary) {
    this.language = language;
    this.#dictionary = dictionary;
    this.#moment = this.#format(MOMENT);
  }

  text(name: PlainName): string {
    return this.#dictionary[name];
  }

  /** The values stand in it as they are, not escaped. */
  fill<Name extends FilledName>(name: Name, values: Values<Name>): string {
    return filled(this.#dictionary[name], values);
  }

  /** The same with elements as values. */
  html<Name extends FilledName>(name: Name, values: Readonly<Record<Placeholders<Name>, Html>>): Html {
    // Every second part is the name of a placeholder.
    const parts = this.#dictionary[name].split(PLACEHOLDER);
    return Fragment({
      children: parts.map((part, at) => (at % 2 === 0 ? part : named<Html>(values, part))),
    });
  }

  /** A message about an order. Without a reference, its place is left out with the space before it. */
  ofOrder(name: AboutOrder, reference: string | null): string {
    const message = this.#dictionary[name];
    return reference === null ? message.replace(' {reference}', '') : filled(message, { reference });
  }

  /** A date and time in UTC. */
  moment(at: Date): string {
    return this.#moment.format(at);
  }

  /** A day, or the days from one to another; the year is named if it is not that of `now`. */
  days(from: Date, until: Date, now: Date): string {
    const isThisYear = until.getUTCFullYear() === now.getUTCFullYear();
    const text =
      from.getTime() === until.getTime()
        ? this.#daysIn(isThisYear ? DAY : DAY_OF_YEAR).format(from)
        : this.#daysIn(isThisYear ? DAYS : DAYS_OF_YEARS).formatRange(from, until);
    return text.replace(DAY_BEFORE_MONTH, '\u00A0');
  }

  #daysIn(options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
    const before = this.#days.get(options);
    if (before !== undefined) return before;
    const format = this.#format(options);
    this.#days.set(options, format);
    return format;
  }

  #format(options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
    return new Intl.DateTimeFormat(LOCALES[this.language] ?? this.language, { ...options, timeZone: 'UTC' });
  }

  /** The clause as a sentence's beginning. */
  sentence(clause: string): string {
    const [first = ''] = clause;
    return first.toLocaleUpperCase(this.language) + clause.slice(first.length);
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
  timeZoneName: 'short',
};

/** A line does not end between them. */
const DAY_BEFORE_MONTH = /(?<=\d\.?) (?=\p{L})/gu;
const DAYS: Intl.DateTimeFormatOptions = { day: 'numeric', month: 'long' };
const DAYS_OF_YEARS: Intl.DateTimeFormatOptions = { ...DAYS, year: 'numeric' };
const DAY: Intl.DateTimeFormatOptions = { ...DAYS, weekday: 'long' };
const DAY_OF_YEAR: Intl.DateTimeFormatOptions = { ...DAY, year: 'numeric' };

const PLACEHOLDER = /\{(\w+)\}/g;

/** The replacement is a function, so that `$` in a value is not read as a pattern. */
const filled = (text: string, values: Readonly<Record<string, string>>): string =>
  text.replace(PLACEHOLDER, (_, name: string) => named(values, name));

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
