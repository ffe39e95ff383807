import { SECOND } from '../kit/clock.ts';
import { parseJsonText } from '../kit/json.ts';
import type { ApiAnswer, ApiFacts } from './api.ts';
import { type ApiDeps, exchange, HTTP_CALL_MS } from './http.ts';

/** What a check found, in one sentence that says what to do where something is to be done. */
export interface Finding {
  state: 'good' | 'warning' | 'wrong';
  says: string;
}

export const finding = {
  good: (says: string): Finding => ({ state: 'good', says }),
  warning: (says: string): Finding => ({ state: 'warning', says }),
  wrong: (says: string): Finding => ({ state: 'wrong', says }),
};

export const warningIf = (applies: boolean, says: string) => (applies ? [finding.warning(says)] : []);

/** Knows the API; null: the status decides. */
export type Judge = (answer: ApiAnswer) => Finding | Finding[] | null;

/** A list of domains is longer than an answer to a send. */
const MAX_ANSWER_BYTES = 1024 * 1024;

/** One GET, without a repetition. */
export async function askApi(
  facts: ApiFacts,
  { url, headers }: { url: string; headers: Record<string, string> },
  judge: Judge,
  { client, callMs = HTTP_CALL_MS }: ApiDeps,
): Promise<Finding[]> {
  const limits = { signal: new AbortController().signal, timeoutMs: callMs, maxBytes: MAX_ANSWER_BYTES };
  const result = await exchange(client, { method: 'GET', url, headers }, limits);
  if (result.kind === 'answered') {
    const { status, headers: answered } = result;
    const body = result.whole ? parseJsonText(result.body) : undefined;
    return [judge({ status, headers: answered, body }) ?? byStatus(facts, status, url)].flat();
  }
  const { host } = new URL(url);
  const failed =
    result.errorCode === 'timeout'
      ? `did not answer within ${Math.ceil(callMs / SECOND)} seconds at ${host}`
      : `cannot be reached at ${host} (${result.errorCode})`;
  return [
    finding.wrong(`${facts.called} ${failed}: check the network, and ${urlVariable(facts)} if it is set.`),
  ];
}

/** The variable that can change the API's address. */
const urlVariable = (facts: ApiFacts): string => facts.urlVariable ?? `${facts.prefix.toUpperCase()}_API_URL`;

function byStatus(facts: ApiFacts, status: number, url: string): Finding {
  const { called, credentials } = facts;
  const { host } = new URL(url);
  if (status === 401 || status === 403)
    return finding.wrong(`${called} refuses the credentials (${status}): check ${credentials}.`);
  if (status === 429)
    return finding.warning(
      `${called} takes no more calls at the moment (429): the credentials could not be checked.`,
    );
  if (status >= 500)
    return finding.wrong(
      `${called} has a fault of its own (${status}): look at its status page, and try again later.`,
    );
  if (status === 200)
    return finding.wrong(`What answers at ${host} is not ${called}: check ${urlVariable(facts)}.`);
  return finding.wrong(
    `${called} does not answer at ${host} as it should (${status}): check ${credentials} and ${urlVariable(facts)}.`,
  );
}
