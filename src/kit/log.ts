import { pino } from 'pino';
import { type Clock, systemClock } from './clock.ts';

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

/** A line on its own costs as much as the rest of a small request: lines of requests wait a moment and leave together. */
const LEAVE_TOGETHER_BYTES = 4_096;
const LEAVE_AFTER_MS = 50;

/** One for the process, since there is one standard error. */
const standardError = pino.destination({
  dest: 2,
  sync: true,
  minLength: LEAVE_TOGETHER_BYTES,
  periodicFlush: LEAVE_AFTER_MS,
});
process.once('exit', () => standardError.flushSync());

export function createLog(level: string): Log {
  const log = pino(
    { level, base: null, timestamp: momentOfLine(systemClock), serializers: { error: plainError } },
    standardError,
  );
  return {
    debug: (fields, message) => log.debug(fields, message),
    info: (fields, message) => log.info(fields, message),
    // What went wrong is written before anything else can.
    warn: (fields, message) => {
      log.warn(fields, message);
      standardError.flushSync();
    },
    error: (fields, message) => {
      log.error(fields, message);
      standardError.flushSync();
    },
  };
}

/** The moment of each line. Putting a date into words is slow, and only its end differs from that of the line before. */
export function momentOfLine(clock: Clock): () => string {
  let second = Number.NaN;
  let words = '';
  return () => {
    const now = clock.now().getTime();
    const milliseconds = now % 1_000;
    if (now - milliseconds !== second) {
      second = now - milliseconds;
      words = `,"time":"${new Date(second).toISOString().slice(0, -'000Z'.length)}`;
    }
    return `${words}${String(milliseconds).padStart(3, '0')}Z"`;
  };
}

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
