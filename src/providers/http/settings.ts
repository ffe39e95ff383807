import type { Because, Reading } from '../../config/reading.ts';
import { choice, group, required, textOrFile } from '../../config/variable.ts';
import { webhookKey } from '../../kit/standardWebhooks.ts';
import { becauseEmail, emailSettings, paidVariables, TEXT_SENDER, WHATSAPP_NUMBER } from '../settings.ts';

export const httpVariables = group(
  'HTTP',
  'With `EMAIL_PROVIDER=http`, `SMS_PROVIDER=http` or `WHATSAPP_PROVIDER=http`.',
  {
    HTTP_PROVIDER_URL: required('address that each message is posted to'),
    HTTP_PROVIDER_SECRET: required(
      'secret that signs the requests, `whsec_…`; two, separated by a space or a comma, during a rotation',
    ),
    HTTP_PROVIDER_CALLBACK_SECRET: required('another one, which signs the callbacks'),
    HTTP_PROVIDER_SMS_FROM: textOrFile(
      'sender of texts: a number, or a name of up to 11 letters and digits; required for SMS',
    ),
    HTTP_PROVIDER_WHATSAPP_FROM: textOrFile('number that WhatsApp messages come from; required for WhatsApp'),
    HTTP_PROVIDER_REPEATS: choice(
      ['no', 'yes'],
      'no',
      '`yes` repeats unanswered calls: only where the receiver remembers the ids of requests for 72 hours',
    ),
  },
);

const { variables } = httpVariables;

export type HttpReceiver = ReturnType<typeof readReceiver>;
export type HttpEmailSettings = ReturnType<typeof readHttpEmail>;
export type HttpSmsSettings = ReturnType<typeof readHttpSms>;
export type HttpWhatsappSettings = ReturnType<typeof readHttpWhatsapp>;

/** What each process submits, unless told otherwise. */
const PER_SECOND = 50;
const WHATSAPP_SENDER_IN_WORDS = 'the number that WhatsApp messages come from, such as +37255550134';

export const readHttpEmail = (reading: Reading) => ({
  ...emailSettings(reading, 'http', PER_SECOND),
  receiver: readReceiver(reading, becauseEmail('http')),
  reportsNeed: null,
});

export function readHttpSms(reading: Reading) {
  const { HTTP_PROVIDER_SMS_FROM: from } = variables;
  const because = 'SMS_PROVIDER is http';
  return {
    provider: 'http' as const,
    receiver: readReceiver(reading, because),
    sender: reading.requiredMatching(from, because, TEXT_SENDER.what, TEXT_SENDER.pattern),
    perSecond: reading.integerOr(paidVariables.variables.SMS_MAX_PER_SECOND, PER_SECOND),
  };
}

export function readHttpWhatsapp(reading: Reading) {
  const { HTTP_PROVIDER_WHATSAPP_FROM: from } = variables;
  const because = 'WHATSAPP_PROVIDER is http';
  return {
    provider: 'http' as const,
    receiver: readReceiver(reading, because),
    sender: reading.requiredMatching(from, because, WHATSAPP_SENDER_IN_WORDS, WHATSAPP_NUMBER.pattern),
    perSecond: reading.integerOr(paidVariables.variables.WHATSAPP_MAX_PER_SECOND, PER_SECOND),
  };
}

/** https, or http on this machine; no password and no query, which would be secrets in an address. */
const URL_PATTERN =
  /^(https:\/\/([a-z0-9.-]+|\[[0-9a-f:]+\])|http:\/\/(localhost|127(\.\d{1,3}){3}|\[::1\]))(:\d{1,5})?(\/[^\s?#]*)?$/i;
/** Base64 of at least 24 bytes, padded, so that every library decodes it alike. */
const SECRET = /^whsec_([A-Za-z0-9+/]{4}){8,64}([A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
const ONE_OR_TWO_SECRETS =
  /^(whsec_([A-Za-z0-9+/]{4}){8,64}([A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?([ ,]{1,2}(?=whsec_)|$)){1,2}$/;
const SECRET_IN_WORDS = 'whsec_ and the base64 of at least 24 random bytes';

/** The same for all channels. */
function readReceiver(reading: Reading, because: Because) {
  const url = reading.requiredMatching(
    variables.HTTP_PROVIDER_URL,
    because,
    'an https address without a query or a password (http only for this machine)',
    URL_PATTERN,
  );
  const secrets = reading.requiredMatching(
    variables.HTTP_PROVIDER_SECRET,
    because,
    `${SECRET_IN_WORDS}, or two of them during a rotation`,
    ONE_OR_TWO_SECRETS,
  );
  const callbackSecret = reading.requiredMatching(
    variables.HTTP_PROVIDER_CALLBACK_SECRET,
    because,
    SECRET_IN_WORDS,
    SECRET,
  );
  const receiver = {
    url,
    /** Two while the secret is being replaced: requests then carry both signatures. */
    secrets: secrets.split(/[ ,]+/),
    callbackSecret,
    /** The receiver remembers ids. */
    remembersIds: reading.choice(variables.HTTP_PROVIDER_REPEATS) === 'yes',
  };
  // With one secret, our own request could be sent back to us as a callback.
  const isSame = (secret: string) => webhookKey(secret).equals(webhookKey(callbackSecret));
  if (callbackSecret !== '' && receiver.secrets.some(isSame))
    reading.mistake('HTTP_PROVIDER_CALLBACK_SECRET and HTTP_PROVIDER_SECRET are the same: make another one.');
  return receiver;
}
