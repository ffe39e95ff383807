import type { Because, Reading } from '../../config/reading.ts';
import { group, required, textOr, textOrFile } from '../../config/variable.ts';
import { MESSAGING_SERVICE, paidVariables, TEXT_SENDER, WHATSAPP_NUMBER } from '../settings.ts';

export const twilioVariables = group('Twilio', 'With `SMS_PROVIDER=twilio` or `WHATSAPP_PROVIDER=twilio`.', {
  TWILIO_ACCOUNT_SID: required('SID of the account, `AC…`'),
  TWILIO_AUTH_TOKEN: required('auth token of the account'),
  TWILIO_MESSAGING_SERVICE_SID: textOrFile(
    'sender of texts: a Messaging Service, `MG…`; this or `TWILIO_FROM` is required for SMS',
  ),
  TWILIO_FROM: textOrFile('sender of texts: a number, or a name of up to 11 letters and digits'),
  TWILIO_WHATSAPP_FROM: textOrFile('number that WhatsApp messages come from; required for WhatsApp'),
  TWILIO_API_URL: textOr('https://api.twilio.com', 'address of the API'),
  TWILIO_CONTENT_URL: textOr('https://content.twilio.com', 'address of the API for WhatsApp templates'),
});

const { variables } = twilioVariables;

export type TwilioAccount = ReturnType<typeof readAccount>;
export type TwilioSmsSettings = ReturnType<typeof readTwilioSms>;
export type TwilioWhatsappSettings = ReturnType<typeof readTwilioWhatsapp>;

const PER_SECOND = 50;

export function readTwilioSms(reading: Reading) {
  const because = 'SMS_PROVIDER is twilio';
  return {
    provider: 'twilio' as const,
    account: readAccount(reading, because),
    sender: readSmsSender(reading, because),
    perSecond: reading.integerOr(paidVariables.variables.SMS_MAX_PER_SECOND, PER_SECOND),
  };
}

/** The shared sender: a Messaging Service (MG…), a number, or a name. */
function readSmsSender(reading: Reading, because: Because): string {
  const { TWILIO_MESSAGING_SERVICE_SID, TWILIO_FROM } = variables;
  const service = reading.matching(
    TWILIO_MESSAGING_SERVICE_SID,
    MESSAGING_SERVICE.what,
    MESSAGING_SERVICE.pattern,
  );
  const from = reading.matching(TWILIO_FROM, TEXT_SENDER.what, TEXT_SENDER.pattern);
  if (service === null && from === null)
    reading.mistake(
      `${because}, which needs TWILIO_MESSAGING_SERVICE_SID or TWILIO_FROM: the sender of texts.`,
    );
  if (service !== null && from !== null)
    reading.mistake('TWILIO_MESSAGING_SERVICE_SID and TWILIO_FROM are both set: set only one.');
  return service ?? from ?? '';
}

export function readTwilioWhatsapp(reading: Reading) {
  const because = 'WHATSAPP_PROVIDER is twilio';
  const what = 'the number that WhatsApp messages come from, such as +37255550134';
  return {
    provider: 'twilio' as const,
    account: readAccount(reading, because),
    sender: reading.requiredMatching(variables.TWILIO_WHATSAPP_FROM, because, what, WHATSAPP_NUMBER.pattern),
    perSecond: reading.integerOr(paidVariables.variables.WHATSAPP_MAX_PER_SECOND, PER_SECOND),
  };
}

function readAccount(reading: Reading, because: Because) {
  const sid = 'the SID of the account, AC and 32 characters';
  return {
    accountSid: reading.requiredMatching(variables.TWILIO_ACCOUNT_SID, because, sid, /^AC[0-9a-f]{32}$/i),
    authToken: reading.required(variables.TWILIO_AUTH_TOKEN, because),
    apiUrl: reading.apiUrl(variables.TWILIO_API_URL),
    contentUrl: reading.apiUrl(variables.TWILIO_CONTENT_URL),
  };
}
