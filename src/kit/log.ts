import { pino } from 'pino';

/**
 * One line of JSON an occurrence, on standard error (standard output is for what a person or a script asked for).
 * Logs carry ids, never addresses, numbers, texts, keys or links: callers pass ids, and an error is reduced to
 * its name, message and stack, since a driver's error can hold the parameters it failed on.
 */
export interface Log {
  debug(fields: Fields, message: string): void;
  info(fields: Fields, message: string): void;
  warn(fields: Fields, message: string): void;
  error(fields: Fields, message: string): void;
}

type Fields = Record<string, unknown>;

export const createLog = (level: string): Log =>
  pino(
    { level, base: null, timestamp: pino.stdTimeFunctions.isoTime, serializers: { error: plainError } },
    pino.destination(2),
  );

function plainError(error: unknown): unknown {
  if (!(error instanceof Error)) return String(error);
  const code = 'code' in error ? error.code : undefined;
  return { name: error.name, code, message: withoutQuotes(error.message), stack: frames(error) };
}

/** Database messages quote the offending value: what stands in quotes may be someone's address. */
const withoutQuotes = (message: string): string => message.replace(/"[^"]*"/g, '"…"').slice(0, 300);

const frames = (error: Error): string[] =>
  (error.stack ?? '')
    .split('\n')
    .filter((line) => line.startsWith('    at '))
    .slice(0, 6)
    .map((line) => line.trim());
