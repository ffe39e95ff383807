import { textAt } from '../../kit/json.ts';
import { type ApiAnswer, type ApiFacts, acceptedAs, isSuccess } from '../api.ts';
import type { ProviderResponse } from '../provider.ts';
import {
  accountFault,
  refuse,
  responseFor,
  senderFault,
  templateRefused,
  type Verdict,
  type Verdicts,
  verdictIn,
} from '../verdicts.ts';

export const META: ApiFacts = {
  called: 'WhatsApp',
  prefix: 'meta',
  credentials: 'META_ACCESS_TOKEN and META_PHONE_NUMBER_ID',
};

const TOKEN = 'check META_ACCESS_TOKEN and its permissions';

/** By code, from responses and callbacks. */
export const META_VERDICTS: Verdicts = {
  0: accountFault(`WhatsApp refuses the token (0): ${TOKEN}.`),
  1: refuse('busy'),
  2: refuse('busy'),
  3: accountFault(`The token has no permission to send (3): ${TOKEN}.`),
  4: refuse('over_limits'),
  10: accountFault(`The token has no permission to send (10): ${TOKEN}.`),
  100: refuse('message', 'WhatsApp refuses a parameter of a message (100).'),
  190: accountFault('The token has expired or was revoked (190): renew META_ACCESS_TOKEN.'),
  368: accountFault('WhatsApp has blocked this account for a breach of its policy (368).'),
  80007: refuse('over_limits'),
  130429: refuse('over_limits'),
  130472: refuse('capped'),
  130497: refuse('message', 'WhatsApp does not let this account message some country (130497).'),
  131000: refuse('busy'),
  131005: accountFault(`WhatsApp denies access (131005): ${TOKEN}.`),
  131008: refuse('message', 'A parameter of a WhatsApp message is missing (131008).'),
  131009: refuse('message', 'WhatsApp refuses the value of a parameter (131009).'),
  131016: refuse('busy'),
  131021: refuse('message'),
  131026: refuse('not_on_whatsapp'),
  131030: refuse('message', 'The sender is a test number and reaches listed recipients only (131030).'),
  131031: accountFault('WhatsApp has locked this account (131031).'),
  131042: accountFault('WhatsApp cannot bill this account (131042): check its payment method.'),
  131045: senderFault('The phone number is not registered for sending (131045): register it.'),
  131047: refuse(
    'message',
    'WhatsApp accepts free text only within a day of the person’s own message (131047).',
  ),
  131048: accountFault('WhatsApp limits this account because people blocked or reported it (131048).'),
  131049: refuse('capped'),
  131050: refuse('stopped'),
  131056: refuse('over_limits'),
  131057: refuse('busy'),
  131064: accountFault('WhatsApp limits this account for its quality (131064).'),
  132000: templateRefused('A template was sent with the wrong number of parameters (132000)'),
  132001: templateRefused('WhatsApp has no such approved template (132001)'),
  132005: templateRefused('A template’s text became too long (132005)'),
  132007: templateRefused('WhatsApp refuses a template for its policy (132007)'),
  132008: templateRefused('A template has a parameter of the wrong form (132008)'),
  132012: templateRefused('A template has a parameter of the wrong form (132012)'),
  132015: templateRefused('WhatsApp has paused a template (132015)'),
  132016: templateRefused('WhatsApp has disabled a template (132016)'),
};

/** 200 to 299 are all missing permissions. */
export const metaVerdict = (code: string | null): Verdict | null =>
  /^2\d\d$/.test(code ?? '')
    ? accountFault(`The token lacks a permission (${code}): ${TOKEN}.`)
    : verdictIn(META_VERDICTS, code);

/** An id that the token cannot see, as when the phone number id is wrong. */
const UNKNOWN_OBJECT = '33';

/** Classifies a response of the messages endpoint. `ownSender`: the message came from a business's own sender. */
export function metaAnswer({ status, body }: ApiAnswer, ownSender = false): ProviderResponse | null {
  if (isSuccess(status)) return acceptedAs(textAt(body, 'messages', 0, 'id'));
  // Even for codes that invite a retry: a 5xx does not promise that nothing was sent.
  if (status < 400 || status >= 500) return null;
  const code = textAt(body, 'error', 'code');
  const errorCode = `meta_${code}`;
  if (code === '100' && textAt(body, 'error', 'error_subcode') === UNKNOWN_OBJECT) {
    const sentence =
      'WhatsApp does not know the phone number id (100): check META_PHONE_NUMBER_ID or the business’s own.';
    return responseFor(senderFault(sentence), errorCode);
  }
  const verdict = metaVerdict(code);
  return verdict === null ? null : responseFor(verdict, errorCode, ownSender);
}
