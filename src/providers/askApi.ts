import { SECOND } from '../kit/clock.ts';
import { parseJsonText } from '../kit/json.ts';
import { type ApiAnswer, type ApiDeps, type ApiFacts, exchange, HTTP_CALL_MS } from './http.ts';

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

/** Knows the API; null: the status decides. */
export type Judge = (answer: ApiAnswer) => Finding[] | null;

interface Question {
  url: string;
  headers: Record<string, string>;
  /** The variable that can change the address, for the sentence. */
  urlVariable: string;
}

/** A list of domains is longer than an answer to a send. */
const MAX_ANSWER_BYTES = 1024 * 1024;

/** One GET, without a repetition. */
export async function askApi(
  facts: ApiFacts,
  { url, headers, urlVariable }: Question,
  judge: Judge,
  { client, callMs = HTTP_CALL_MS }: ApiDeps,
): Promise<Finding[]> {
  const limits = { signal: new AbortController().signal, timeoutMs: callMs, maxBytes: MAX_ANSWER_BYTES };
  const result = await exchange(client, { method: 'GET', url, headers }, limits);
  const { host } = new URL(url);
  if (result.kind !== 'answered') {
    const { called } = facts;
    return [
      finding.wrong(
        result.errorCode === 'timeout'
          ? `${called} did not answer within ${Math.ceil(callMs / SECOND)} seconds at ${host}: check the network, and ${urlVariable} if it is set.`
          : `${called} cannot be reached at ${host} (${result.errorCode}): check the network, and ${urlVariable} if it is set.`,
      ),
    ];
  }
  const { status, headers: answered } = result;
  const body = result.whole ? parseJsonText(result.body) : undefined;
  return judge({ status, headers: answered, body }) ?? [byStatus(facts, status, host, urlVariable)];
}

function byStatus(
  { called, credentials }: ApiFacts,
  status: number,
  host: string,
  urlVariable: string,
): Finding {
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
  if (status === 200) return finding.wrong(`What answers at ${host} is not ${called}: check ${urlVariable}.`);
  return finding.wrong(
    `${called} does not answer at ${host} as it should (${status}): check ${credentials} and ${urlVariable}.`,
  );
}
