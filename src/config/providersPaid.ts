import type { Because, Reading } from './reading.ts';
import { PAID_PER_SECOND } from './variables.ts';

export type TwilioAccount = ReturnType<typeof readAccount>;
export type TwilioSmsSettings = ReturnType<typeof readTwilioSms>;
export type TwilioWhatsappSettings = ReturnType<typeof readTwilioWhatsapp>;
export type MetaSettings = ReturnType<typeof readMeta>;

const E164 = /^\+[1-9]\d{6,14}$/;
const ID = /^\d{5,20}$/;

export function readTwilioSms(reading: Reading) {
  const because = 'SMS_PROVIDER is twilio';
  return {
    provider: 'twilio' as const,
    account: readAccount(reading, because),
    sender: readSmsSender(reading, because),
    perSecond: reading.integerOr('SMS_MAX_PER_SECOND', PAID_PER_SECOND.twilio),
  };
}

/** The shared sender: a Messaging Service (MG…), a number, or a name. */
function readSmsSender(reading: Reading, because: Because): string {
  const service = reading.matching(
    'TWILIO_MESSAGING_SERVICE_SID',
    'a Messaging Service SID, MG and 32 characters',
    /^MG[0-9a-f]{32}$/i,
  );
  const from = reading.matching(
    'TWILIO_FROM',
    'a number such as +37255550134, or a name of up to 11 letters and digits',
    /^(\+[1-9]\d{6,14}|\d{3,8}|(?=.*[A-Za-z])[A-Za-z0-9 ]{1,11})$/,
  );
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
    sender: reading.requiredMatching('TWILIO_WHATSAPP_FROM', because, what, E164),
    perSecond: reading.integerOr('WHATSAPP_MAX_PER_SECOND', PAID_PER_SECOND.twilio),
  };
}

function readAccount(reading: Reading, because: Because) {
  const sid = 'the SID of the account, AC and 32 characters';
  return {
    accountSid: reading.requiredMatching('TWILIO_ACCOUNT_SID', because, sid, /^AC[0-9a-f]{32}$/i),
    authToken: reading.required('TWILIO_AUTH_TOKEN', because),
    apiUrl: reading.apiUrl('TWILIO_API_URL'),
    contentUrl: reading.apiUrl('TWILIO_CONTENT_URL'),
  };
}

export function readMeta(reading: Reading) {
  const because = 'WHATSAPP_PROVIDER is meta';
  const version = reading.text('META_GRAPH_VERSION');
  if (!/^v\d{1,3}\.\d$/.test(version))
    reading.mistake(`META_GRAPH_VERSION must look like v23.0, but is "${version}".`);
  const phone = 'the id of the phone number (digits, and not the number itself)';
  const account = 'the id of the WhatsApp Business Account';
  return {
    provider: 'meta' as const,
    accessToken: reading.required('META_ACCESS_TOKEN', because),
    phoneNumberId: reading.requiredMatching('META_PHONE_NUMBER_ID', because, phone, ID),
    accountId: reading.requiredMatching('META_WABA_ID', because, account, ID),
    appSecret: reading.required('META_APP_SECRET', because),
    verifyToken: reading.required('META_VERIFY_TOKEN', because),
    version,
    apiUrl: reading.apiUrl('META_API_URL'),
    perSecond: reading.integerOr('WHATSAPP_MAX_PER_SECOND', PAID_PER_SECOND.meta),
  };
}
