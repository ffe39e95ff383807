import { parseArgs } from 'node:util';
import { type EventType, eventTypes } from '../generated/api.ts';

/** What `listen` was asked to do. */
export interface ListenOptions {
  baseUrl: string;
  apiKey: string;
  forwardTo: string;
  types: EventType[] | undefined;
  replayLast: number;
  headerPrefix: string;
  /** Undefined: make one. */
  secret: string | undefined;
}

/** A mistake in the command, in one sentence. */
export class UsageMistake extends Error {
  override readonly name = 'UsageMistake';
}

export const HELP = `waypost listen --forward-to URL [options]

Follows your events and posts each one, signed like a webhook, to a program on your own machine.

  --forward-to URL        where your receiver listens, such as http://localhost:3000/hooks
  --base-url URL          the address of the service (or WAYPOST_BASE_URL)
  --types A,B             only these event types
  --replay-last N         first the last N events
  --secret whsec_…        sign with this secret (or WAYPOST_WEBHOOK_SECRET) instead of a new one
  --header-prefix X-…-    the start of the headers' names, by default X-Service-
  --help

The API key is read from WAYPOST_API_KEY.
`;

const REPLAY_MAX = 10_000;

/** Reads the arguments of `listen`; null where the help was asked for. */
export function readListenOptions(
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): ListenOptions | null {
  const { values, positionals } = parsed(args);
  if (values.help) return null;
  if (positionals.length !== 1 || positionals[0] !== 'listen')
    throw new UsageMistake('The command is: waypost listen --forward-to URL');
  const baseUrl = values['base-url'] ?? env.WAYPOST_BASE_URL;
  const { WAYPOST_API_KEY: apiKey } = env;
  if (!baseUrl) throw new UsageMistake('Say where the service is: --base-url, or WAYPOST_BASE_URL.');
  if (!apiKey) throw new UsageMistake('Set WAYPOST_API_KEY to an API key.');
  return {
    baseUrl: httpUrl('--base-url', baseUrl),
    apiKey,
    forwardTo: httpUrl('--forward-to', values['forward-to']),
    types: typesIn(values.types),
    replayLast: countIn(values['replay-last']),
    headerPrefix: values['header-prefix'] ?? 'X-Service-',
    secret: values.secret ?? env.WAYPOST_WEBHOOK_SECRET,
  };
}

function parsed(args: readonly string[]) {
  const text = { type: 'string' } as const;
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        'forward-to': text,
        'base-url': text,
        types: text,
        'replay-last': text,
        secret: text,
        'header-prefix': text,
        help: { type: 'boolean' },
      },
    });
  } catch (error) {
    throw new UsageMistake(error instanceof Error ? error.message : String(error));
  }
}

function httpUrl(name: string, value: string | undefined): string {
  if (value === undefined) throw new UsageMistake(`${name} is missing.`);
  try {
    if (/^https?:$/.test(new URL(value).protocol)) return value;
  } catch {
    // Told below.
  }
  throw new UsageMistake(`${name} must be an http or https address.`);
}

function typesIn(value: string | undefined): EventType[] | undefined {
  return value?.split(',').map((name) => {
    const type = eventTypes.find((one) => one === name.trim());
    if (type === undefined)
      throw new UsageMistake(`${name.trim()} is not an event type. They are: ${eventTypes.join(', ')}.`);
    return type;
  });
}

function countIn(value = '0'): number {
  if (/^\d{1,5}$/.test(value) && Number(value) <= REPLAY_MAX) return Number(value);
  throw new UsageMistake(`--replay-last must be a number from 0 to ${REPLAY_MAX}.`);
}
