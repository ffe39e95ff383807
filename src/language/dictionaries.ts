import type { Language } from './languages.ts';
import { en } from './messages/en.ts';
import type { Dictionary } from './translation.ts';

export const dictionaries: Readonly<Record<Language, Dictionary>> = {
  en,
  et: en,
  fi: en,
  sv: en,
  da: en,
  nb: en,
  lv: en,
  lt: en,
  pl: en,
  cs: en,
  de: en,
  nl: en,
  fr: en,
  es: en,
  pt: en,
  it: en,
};
