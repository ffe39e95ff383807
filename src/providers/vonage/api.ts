import { createPrivateKey, randomUUID } from 'node:crypto';
import { SignJWT } from 'jose';
import { type Clock, MINUTE, SECOND } from '../../kit/clock.ts';
import { textAt } from '../../kit/json.ts';
import { type ApiAnswer, type ApiFacts, acceptedAs, isSuccess } from '../api.ts';
import type { ProviderResponse } from '../provider.ts';
import {
  accountFault,
  refuse,
  responseFor,
  senderFault,
  type Verdict,
  type Verdicts,
  verdictIn,
} from '../verdicts.ts';
import type { VonageSettings } from './settings.ts';

export const VONAGE: ApiFacts = {
  called: 'Vonage',
  prefix: 'vonage',
  credentials: 'VONAGE_APPLICATION_ID and VONAGE_PRIVATE_KEY',
};

const TOKEN_MS = 15 * MINUTE;
/** A token is replaced well before it expires, because Vonage's clock may be ahead of ours. */
const TOKEN_REUSED_MS = 10 * MINUTE;

/** The headers of every call, with a token that is reused for a while: making one costs more than the call. */
export function vonageHeaders(
  { applicationId, privateKey }: Pick<VonageSettings, 'applicationId' | 'privateKey'>,
  wallClock: Clock,
) {
  const key = createPrivateKey(privateKey);
  let token: Promise<string> | undefined;
  let replacedAt = 0;
  return async (): Promise<Record<string, string>> => {
    const now = wallClock.now().getTime();
    if (token === undefined || now >= replacedAt) {
      const seconds = Math.floor(now / SECOND);
      token = new SignJWT({ application_id: applicationId })
        .setProtectedHeader({ alg: 'RS256', typ: 'JWT' })
        .setJti(randomUUID())
        .setIssuedAt(seconds)
        .setExpirationTime(seconds + TOKEN_MS / SECOND)
        .sign(key);
      replacedAt = now + TOKEN_REUSED_MS;
    }
    return { accept: 'application/json', authorization: `Bearer ${await token}` };
  };
}

const SENDER = 'check VONAGE_FROM, or the business’s own sender';

/** By code, from responses and from the errors of status callbacks. */
export const VONAGE_VERDICTS: Verdicts = {
  1000: refuse('over_limits'),
  1010: refuse('message'),
  1020: refuse('message'),
  1040: refuse('message'),
  1050: refuse('stopped'),
  1060: accountFault('Vonage has barred the account from sending (1060).'),
  1070: accountFault('The Vonage account has no credit left (1070): add some.'),
  1080: accountFault('The Vonage account may not use this API (1080).'),
  1090: refuse('message', 'A text was too long for Vonage (1090).'),
  1100: refuse('busy'),
  1120: refuse('message', `A country that we text refuses the sender (1120): ${SENDER}.`),
  1140: accountFault('The Vonage account lacks a facility that texts need (1140).'),
  1160: refuse('message', 'The Vonage account is on trial and texts listed numbers only (1160).'),
  1170: refuse('message'),
  1210: refuse('message', 'Carriers filter our texts as unwanted (1210).'),
  1240: refuse('stopped'),
  1241: refuse('over_limits'),
  1420: senderFault(`Vonage does not text from the sender (1420): ${SENDER}.`),
  1430: refuse('message'),
};

export const vonageVerdict = (code: string | null): Verdict | null => verdictIn(VONAGE_VERDICTS, code);

/** The code is the fragment of the error's `type`; some errors have it as their title instead. */
export const vonageCode = (error: unknown): string | null =>
  /#(\d{4})$/.exec(textAt(error, 'type') ?? '')?.[1] ??
  /^\d{4}$/.exec(textAt(error, 'title') ?? '')?.[0] ??
  null;

/** Vonage's own fault: it does not say whether the text was sent. */
const INTERNAL_ERROR = '1030';
const NO_CREDIT = '1070';

export function vonageAnswer({ status, body }: ApiAnswer): ProviderResponse | null {
  if (isSuccess(status)) return acceptedAs(textAt(body, 'message_uuid'));
  if (status < 400 || status >= 500) return null;
  const code = status === 402 ? NO_CREDIT : vonageCode(body);
  if (code === INTERNAL_ERROR) return { outcome: 'unknown', errorCode: `vonage_${code}` };
  const verdict = vonageVerdict(code);
  return verdict === null ? null : responseFor(verdict, `vonage_${code}`);
}
