import type { en } from './messages/en.ts';

type English = typeof en;
export type MessageName = keyof English;
export type Dictionary = Readonly<Record<MessageName, string>>;

/** The names between braces in a text. */
type PlaceholdersIn<Text> = Text extends `${string}{${infer Name}}${infer Rest}`
  ? Name | PlaceholdersIn<Rest>
  : never;
export type Placeholders<Name extends MessageName> = PlaceholdersIn<English[Name]>;

export type PlainName = {
  [Name in MessageName]: [Placeholders<Name>] extends [never] ? Name : never;
}[MessageName];
export type FilledName = Exclude<MessageName, PlainName>;

/** The text itself if it has exactly the placeholders, else what it should have, which no text is. */
type WithPlaceholders<Text, Wanted extends string> = [PlaceholdersIn<Text>] extends [Wanted]
  ? [Wanted] extends [PlaceholdersIn<Text>]
    ? Text
    : { missing: Exclude<Wanted, PlaceholdersIn<Text>> }
  : { unknown: Exclude<PlaceholdersIn<Text>, Wanted> };

type Checked<Messages> = {
  [Name in keyof Messages]: Name extends MessageName
    ? WithPlaceholders<Messages[Name], Placeholders<Name>>
    : never;
};

/**
 * Messages in another language. It compiles only with every message of the English ones and no other, each with the same
 * placeholders.
 */
export const translation = <const Messages extends Dictionary>(
  messages: Messages & Checked<Messages>,
): Dictionary => messages;
