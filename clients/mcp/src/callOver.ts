import type { CallApi } from '../../../src/mcp/tools.ts';

/** Something is wrong with what the program was started with. */
export class SettingMistake extends Error {}

interface Address {
  baseUrl: URL;
  apiKey: string;
}

const KEY = /^[\x21-\x7e]{1,200}$/;

export function readAddress(env: Readonly<Record<string, string | undefined>>): Address {
  const { WAYPOST_BASE_URL: url = '', WAYPOST_API_KEY: apiKey = '' } = env;
  const baseUrl = URL.canParse(url) ? new URL(url) : null;
  if (baseUrl === null || !/^https?:$/.test(baseUrl.protocol))
    throw new SettingMistake(
      'WAYPOST_BASE_URL must be where Waypost is reached, such as https://waypost.example.',
    );
  if (!KEY.test(apiKey)) throw new SettingMistake('WAYPOST_API_KEY must be an API key of the shop.');
  return { baseUrl, apiKey };
}

const TIMEOUT_MS = 30_000;
/** The largest page of messages has less. */
const ANSWER_MAX = 16 * 1024 * 1024;

/** Calls the API of a service elsewhere. */
export const callOver =
  ({ baseUrl, apiKey }: Address): CallApi =>
  async (method, path, { body, idempotencyKey } = {}) => {
    const url = new URL(baseUrl.pathname.replace(/\/+$/, '') + path, baseUrl.origin);
    try {
      const answer = await fetch(url, {
        method,
        redirect: 'error',
        signal: AbortSignal.timeout(TIMEOUT_MS),
        headers: {
          authorization: `Bearer ${apiKey}`,
          ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
          ...(body !== undefined && { 'content-type': 'application/json' }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      return { status: answer.status, text: await readText(answer) };
    } catch (error) {
      const why =
        error instanceof Error && error.name === 'TimeoutError'
          ? 'did not answer in time'
          : 'cannot be reached';
      return {
        status: 503,
        text: `Waypost at ${baseUrl.host} ${why}. Whether a call to send took effect is not known: repeat it with the same idempotency key.`,
      };
    }
  };

async function readText(answer: Response): Promise<string> {
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const part of answer.body ?? []) {
    length += part.length;
    if (length > ANSWER_MAX) throw new Error('the answer is too long');
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}
