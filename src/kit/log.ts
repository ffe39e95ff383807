import { pino } from 'pino';
import { type Clock, systemClock } from './clock.ts';
import { createLineWriter } from './lineWriter.ts';

/**
 * One line of JSON per log call, on standard error (standard output is for results). Logs carry ids, never
 * addresses, numbers, texts, keys or links: callers pass ids, and an error is reduced to its name, message and
 * stack, because a driver's error can hold the parameters of its statement.
 */
export interface Log {
  debug(fields: Fields, message: string): void;
  info(fields: Fields, message: string): void;
  warn(fields: Fields, message: string): void;
  error(fields: Fields, message: string): void;
}

type Fields = Record<string, unknown>;

/**
 * Writing each line separately costs as much as the rest of a small request, so lines are buffered briefly. A write to a
 * pipe of up to 4,096 bytes is not mixed with those of other processes, so the buffer leaves space for a line.
 */
const BUFFER_LENGTH = 3_072;
const FLUSH_EVERY_MS = 50;

/** One per process, because there is one standard error. */
const standardError = createLineWriter(2, BUFFER_LENGTH);
setInterval(() => standardError.flush(), FLUSH_EVERY_MS).unref();
process.once('exit', () => standardError.flush());

/** `always` is part of every line. */
export function createLog(level: string, always: Fields | null = null): Log {
  const log = pino(
    { level, base: always, timestamp: timestamps(systemClock), serializers: { error: plainError } },
    standardError,
  );
  return {
    debug: (fields, message) => log.debug(fields, message),
    info: (fields, message) => log.info(fields, message),
    // Warnings and errors are flushed at once, in case the process crashes.
    warn: (fields, message) => {
      log.warn(fields, message);
      standardError.flush();
    },
    error: (fields, message) => {
      log.error(fields, message);
      standardError.flush();
    },
  };
}

/**
 * Formats each line's time. Formatting a date is slow, and most lines differ from the previous one only in the
 * milliseconds.
 */
export function timestamps(clock: Clock): () => string {
  let second = Number.NaN;
  let prefix = '';
  return () => {
    const now = clock.now().getTime();
    const milliseconds = now % 1_000;
    if (now - milliseconds !== second) {
      second = now - milliseconds;
      prefix = `,"time":"${new Date(second).toISOString().slice(0, -'000Z'.length)}`;
    }
    return `${prefix}${String(milliseconds).padStart(3, '0')}Z"`;
  };
}

function plainError(error: unknown): unknown {
  if (!(error instanceof Error)) return String(error);
  const code = 'code' in error ? error.code : undefined;
  return { name: error.name, code, message: withoutQuotes(error.message), stack: frames(error) };
}

/** Database messages quote the offending value, which can be a person's address. */
const withoutQuotes = (message: string): string => message.replace(/"[^"]*"/g, '"…"').slice(0, 300);

const frames = (error: Error): string[] =>
  (error.stack ?? '')
    .split('\n')
    .filter((line) => line.startsWith('    at '))
    .slice(0, 6)
    .map((line) => line.trim());
