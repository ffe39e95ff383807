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
import type { TwilioAccount } from './settings.ts';

/** The query parameter of the callback URL that carries our reference. Twilio signs the whole URL. */
export const TWILIO_REFERENCE = 'ref';

export const twilioHeaders = ({ accountSid, authToken }: TwilioAccount): Record<string, string> => ({
  accept: 'application/json',
  authorization: `Basic ${Buffer.from(`${accountSid}:${authToken}`).toString('base64')}`,
});

export const TWILIO: ApiFacts = {
  called: 'Twilio',
  prefix: 'twilio',
  credentials: 'TWILIO_ACCOUNT_SID and TWILIO_AUTH_TOKEN',
};

const SENDER = 'check TWILIO_MESSAGING_SERVICE_SID, TWILIO_FROM, or the business’s own sender';

/** By code, from responses (2xxxx) and from callbacks (3xxxx, 63xxx). Texts and WhatsApp messages share one list. */
export const TWILIO_VERDICTS: Verdicts = {
  20003: accountFault(
    'Twilio refuses the credentials (20003): check TWILIO_ACCOUNT_SID and TWILIO_AUTH_TOKEN.',
  ),
  20005: accountFault('The Twilio account is not active (20005).'),
  20404: accountFault('Twilio does not know the account or the sender (20404): check TWILIO_ACCOUNT_SID.'),
  20429: refuse('over_limits'),
  21211: refuse('message'),
  21212: senderFault(`Twilio accepts no messages from the sender (21212): ${SENDER}.`),
  21408: refuse(
    'message',
    'The Twilio account has no permission to text this country (21408): allow it in the account’s geographic permissions.',
  ),
  21601: senderFault(`The sender cannot text (21601): ${SENDER}.`),
  21603: senderFault(`Twilio was given no sender (21603): ${SENDER}.`),
  21606: senderFault(`The sender is not one of this Twilio account (21606): ${SENDER}.`),
  21608: refuse('message', 'The Twilio account is on trial and texts verified numbers only (21608).'),
  21609: accountFault('Twilio cannot call PUBLIC_URL (21609): it must be an address on the internet.'),
  21610: refuse('stopped'),
  21611: refuse('over_limits'),
  21612: refuse('message'),
  21614: refuse('message'),
  21617: refuse('message', 'A text was too long for Twilio (21617).'),
  21635: refuse('message'),
  21655: templateRefused('Twilio does not know a content template (21655)'),
  21656: refuse('message', 'Twilio refuses the variables of a content template (21656).'),
  21659: senderFault(`The sender is not a Twilio number of this account (21659): ${SENDER}.`),
  21660: senderFault(`The sender belongs to another Twilio account (21660): ${SENDER}.`),
  21701: senderFault(`The Messaging Service does not exist (21701): ${SENDER}.`),
  21703: senderFault(`The Messaging Service has no number to text from (21703): ${SENDER}.`),
  30001: refuse('over_limits'),
  30002: accountFault('The Twilio account is suspended (30002).'),
  30007: refuse('message', 'Carriers filter our texts as unwanted (30007).'),
  30034: senderFault('The sender is not registered for texts to the United States (30034).'),
  63003: refuse('not_on_whatsapp'),
  63007: senderFault(
    'The sender is not a WhatsApp number of this Twilio account (63007): check TWILIO_WHATSAPP_FROM.',
  ),
  63013: refuse('message', 'WhatsApp refuses a message for its policy (63013).'),
  63014: refuse('stopped'),
  63016: refuse(
    'message',
    'WhatsApp accepts free text only within a day of the person’s own message (63016).',
  ),
  63018: refuse('over_limits'),
  63020: accountFault('The WhatsApp account has not accepted Twilio’s terms (63020).'),
  63021: refuse('message', 'WhatsApp refuses the content of a message (63021).'),
  63024: refuse('not_on_whatsapp'),
  63027: templateRefused('WhatsApp has no such template in this language (63027)'),
  63028: refuse('template', 'A WhatsApp template was sent with the wrong number of parameters (63028).'),
  63029: refuse('message', 'WhatsApp could not read a message (63029).'),
  63030: refuse('message', 'WhatsApp does not know a parameter of a message (63030).'),
  63032: refuse('capped'),
  63040: templateRefused('A WhatsApp template was rejected (63040)'),
  63041: templateRefused('A WhatsApp template is paused (63041)'),
  63042: templateRefused('A WhatsApp template is disabled (63042)'),
  63049: refuse('capped'),
  63050: refuse('stopped'),
};

export const twilioVerdict = (code: string | null): Verdict | null => verdictIn(TWILIO_VERDICTS, code);

/** Classifies a response of the API. `ownSender`: the message came from a business's own sender. */
export function twilioAnswer({ status, body }: ApiAnswer, ownSender = false): ProviderResponse | null {
  if (isSuccess(status)) return acceptedAs(textAt(body, 'sid'));
  const code = textAt(body, 'code');
  const verdict = twilioVerdict(code);
  if (status < 400 || status >= 500 || verdict === null) return null;
  return responseFor(verdict, `twilio_${code}`, ownSender);
}
