import type { Language } from './languages.ts';
import type { en } from './messages/en.ts';

type English = typeof en;
export type MessageName = keyof English;

/** The names between braces in a text. */
type PlaceholdersIn<Text> = Text extends `${string}{${infer Name}}${infer Rest}`
  ? Name | PlaceholdersIn<Rest>
  : never;

/** A message's placeholders; those of a counted message are the same in every form. */
export type Placeholders<Name extends MessageName> = English[Name] extends string
  ? PlaceholdersIn<English[Name]>
  : PlaceholdersIn<English[Name][keyof English[Name]]>;

/** The messages that have a form per plural category. */
export type CountedName = { [Name in MessageName]: English[Name] extends string ? never : Name }[MessageName];
export type PlainName = {
  [Name in Exclude<MessageName, CountedName>]: [Placeholders<Name>] extends [never] ? Name : never;
}[Exclude<MessageName, CountedName>];
export type FilledName = Exclude<MessageName, CountedName | PlainName>;

/** The categories of cardinal numbers, as `Intl.PluralRules` knows them; a test compares. */
interface PluralCategories {
  en: 'one' | 'other';
  et: 'one' | 'other';
  fi: 'one' | 'other';
  sv: 'one' | 'other';
  da: 'one' | 'other';
  nb: 'one' | 'other';
  lv: 'zero' | 'one' | 'other';
  lt: 'one' | 'few' | 'many' | 'other';
  pl: 'one' | 'few' | 'many' | 'other';
  cs: 'one' | 'few' | 'many' | 'other';
  de: 'one' | 'other';
  nl: 'one' | 'other';
  fr: 'one' | 'many' | 'other';
  es: 'one' | 'many' | 'other';
  pt: 'one' | 'many' | 'other';
  it: 'one' | 'many' | 'other';
}

type Forms = Readonly<Partial<Record<Intl.LDMLPluralRule, string>>>;
export type Dictionary = Readonly<Record<MessageName, string | Forms>>;

/** The text itself if it has exactly the placeholders, else what it should have, which no text is. */
type WithPlaceholders<Text, Wanted extends string> = [PlaceholdersIn<Text>] extends [Wanted]
  ? [Wanted] extends [PlaceholdersIn<Text>]
    ? Text
    : { missing: Exclude<Wanted, PlaceholdersIn<Text>> }
  : { unknown: Exclude<PlaceholdersIn<Text>, Wanted> };

type Checked<Of extends Language, Messages> = {
  [Name in keyof Messages]: Name extends CountedName
    ? {
        [Category in PluralCategories[Of]]: Category extends keyof Messages[Name]
          ? WithPlaceholders<Messages[Name][Category], Placeholders<Name>>
          : string;
      }
    : Name extends MessageName
      ? Messages[Name] extends string
        ? WithPlaceholders<Messages[Name], Placeholders<Name>>
        : string
      : never;
};

/**
 * Messages in another language. It compiles only with every message of the English ones and no other, each with the same
 * placeholders, and counted ones with a form for every plural category of the language.
 */
export const translation = <Of extends Language, const Messages extends Dictionary>(
  _language: Of,
  messages: Messages & Checked<Of, Messages>,
): Dictionary => messages;
