import type { ExampleCall } from './call.ts';
import { curlExample } from './curl.ts';
import { phpExample } from './php.ts';
import { pythonExample } from './python.ts';
import { typescriptExample } from './typescript.ts';

/** The languages of the examples, in the order of their tabs. */
export const codeLanguages = ['curl', 'typescript', 'python', 'php'] as const;
export type CodeLanguage = (typeof codeLanguages)[number];

export const LANGUAGE_NAMES: Readonly<Record<CodeLanguage, string>> = {
  curl: 'curl',
  typescript: 'TypeScript',
  python: 'Python',
  php: 'PHP',
};

export const exampleIn: Readonly<Record<CodeLanguage, (call: ExampleCall) => string>> = {
  curl: curlExample,
  typescript: typescriptExample,
  python: pythonExample,
  php: phpExample,
};

/** Null: it names none. */
export const codeLanguageOf = (name: string | null | undefined): CodeLanguage | null =>
  codeLanguages.find((language) => language === name) ?? null;
