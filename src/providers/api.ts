import { setTimeout as sleep } from 'node:timers/promises';
import { monotonicMs, SECOND } from '../kit/clock.ts';
import { parseJsonText } from '../kit/json.ts';
import {
  type AnswerHeaders,
  type ApiDeps,
  type Exchange,
  exchange,
  HTTP_CALL_MS,
  type HttpRequest,
} from './http.ts';
import { mayPass, type Outbound, type Provider, type ProviderResponse } from './provider.ts';
import { accountFault, refuse, responseFor, type Verdict } from './verdicts.ts';

/** A provider's response with its parsed JSON; `body` is undefined if it broke off or is no JSON. */
export interface ApiAnswer {
  status: number;
  headers: AnswerHeaders;
  body: unknown;
}

/** An adapter's description of its API, for the responses that all APIs share. */
export interface ApiFacts {
  /** As people call it: `Twilio`. */
  called: string;
  /** The provider's name, and the prefix of its error codes: `twilio`. */
  prefix: string;
  /** The variables that hold its credentials, for the error message. */
  credentials: string;
  /** The variable that holds its address, if it is not `TWILIO_API_URL` and the like. */
  urlVariable?: string;
}

/** Knows the API; null: the status decides. */
type Sort = (answer: ApiAnswer) => ProviderResponse | null;

/** One call without retries, and what it says about the message. */
export const callApi = async (
  facts: ApiFacts,
  { client, callMs = HTTP_CALL_MS }: ApiDeps,
  request: HttpRequest,
  signal: AbortSignal,
  sort: Sort,
): Promise<ProviderResponse> =>
  answerFrom(facts, await exchange(client, request, { signal, timeoutMs: callMs }), sort);

/** The waits before an unanswered call is repeated. */
const REPEAT_AFTER_MS = [SECOND / 2, 2 * SECOND] as const;

/** Repeats a call whose outcome is unknown, within the limit of one call, with the same id and the same bytes. */
async function callRepeatedly(
  facts: ApiFacts,
  deps: ApiDeps,
  request: HttpRequest,
  signal: AbortSignal,
  sort: Sort,
): Promise<ProviderResponse> {
  const until = monotonicMs() + (deps.callMs ?? HTTP_CALL_MS);
  const call = () =>
    callApi(facts, { ...deps, callMs: Math.max(1, until - monotonicMs()) }, request, signal, sort);
  let answer = await call();
  for (const pause of REPEAT_AFTER_MS) {
    if (answer.outcome !== 'unknown' || signal.aborted || monotonicMs() + pause >= until) break;
    await sleep(pause, undefined, { signal }).catch(() => {});
    const again = await call();
    if (settles(again)) answer = again;
  }
  return answer;
}

/** A repetition that does not get through, or is put off, proves nothing about the earlier call: another attempt could send twice. */
const settles = (again: ProviderResponse): boolean =>
  again.outcome === 'accepted' ||
  again.outcome === 'unknown' ||
  (again.outcome === 'refused' && !mayPass(again.because));

interface ApiSending<Message> {
  maxConcurrent: number;
  /** The API remembers the id that a request carries: the same request again never sends twice, and usually brings the response. */
  remembersIds?: boolean;
  request(message: Message): HttpRequest;
  sort(answer: ApiAnswer, message: Message): ProviderResponse | null;
}

/** The provider whose send is one call of an HTTP API. */
export const apiProvider = <Message extends Outbound>(
  facts: ApiFacts,
  deps: ApiDeps,
  { maxConcurrent, remembersIds = false, request, sort }: ApiSending<Message>,
): Provider<Message> => ({
  name: facts.prefix,
  maxConcurrent,
  timeoutMs: (deps.callMs ?? HTTP_CALL_MS) + SECOND,
  send: (message, signal) =>
    (remembersIds ? callRepeatedly : callApi)(facts, deps, request(message), signal, (answer) =>
      sort(answer, message),
    ),
});

/**
 * A call about something other than a message. Answers the JSON of a successful response; otherwise `answer` is what came instead, and
 * `body` its JSON, if any. `sort` sees only responses that are no success.
 */
export async function fetchJson(
  facts: ApiFacts,
  { client, callMs = HTTP_CALL_MS }: ApiDeps,
  request: HttpRequest,
  { signal, maxBytes }: { signal: AbortSignal; maxBytes: number },
  sort: Sort,
) {
  const result = await exchange(client, request, { signal, timeoutMs: callMs, maxBytes });
  let body: unknown;
  let succeeded = false;
  const answer = answerFrom(facts, result, (response) => {
    body = response.body;
    succeeded = body !== undefined && (response.status === 200 || response.status === 201);
    return succeeded ? null : sort(response);
  });
  return { body, answer: succeeded ? null : answer };
}

/**
 * The exchange as a response. If `sort` returns null, the status decides: only a 4xx is a sure refusal; a 5xx, like a lost
 * response, leaves the outcome unknown.
 */
export function answerFrom(facts: ApiFacts, result: Exchange, sort: Sort): ProviderResponse {
  if (result.kind === 'not_sent') return { outcome: 'not_taken', errorCode: result.errorCode };
  if (result.kind === 'lost') return { outcome: 'unknown', errorCode: result.errorCode };
  const { status, headers } = result;
  const sorted = sort({ status, headers, body: result.whole ? parseJsonText(result.body) : undefined });
  return sorted ?? byStatus(facts, status);
}

function byStatus(facts: ApiFacts, status: number): ProviderResponse {
  const errorCode = `${facts.prefix}_http_${status}`;
  // 408: the server may have received the whole request.
  if (status < 300 || status >= 500 || status === 408) return { outcome: 'unknown', errorCode };
  return responseFor(verdictOnStatus(facts, status), errorCode);
}

function verdictOnStatus({ called, credentials }: ApiFacts, status: number): Verdict {
  if (status === 401 || status === 403)
    return accountFault(`${called} refuses the credentials (${status}): check ${credentials}.`);
  if (status === 404 || status === 405 || status < 400)
    return accountFault(
      `${called} does not answer at this URL (${status}): check ${credentials} and the URL of its API.`,
    );
  if (status === 429) return refuse('over_limits');
  return refuse('message', `${called} refuses a message (${status}).`);
}

export const isSuccess = (status: number): boolean => status >= 200 && status < 300;

/** A success names the message's id, or cannot be read. */
export const acceptedAs = (id: string | null): ProviderResponse =>
  id === null
    ? { outcome: 'unknown', errorCode: 'unreadable_answer' }
    : { outcome: 'accepted', providerId: id };
