import { OperatorError } from '../kit/errors.ts';
import {
  apiUrl,
  type Because,
  type Environment,
  readInteger,
  readMatching,
  readVariable,
  requireMatching,
  requireVariable,
} from './reading.ts';

export interface TwilioAccount {
  accountSid: string;
  authToken: string;
  apiUrl: string;
  contentUrl: string;
}

export interface TwilioSmsSettings {
  provider: 'twilio';
  account: TwilioAccount;
  /** The shared sender: a Messaging Service (MG…), a number, or a name. */
  sender: string;
  perSecond: number;
}

export interface TwilioWhatsappSettings {
  provider: 'twilio';
  account: TwilioAccount;
  /** The shared number. */
  sender: string;
  perSecond: number;
}

export interface MetaSettings {
  provider: 'meta';
  accessToken: string;
  /** The shared sender: the id of a phone number, not the number. */
  phoneNumberId: string;
  /** The WhatsApp Business Account, to which templates belong. */
  accountId: string;
  appSecret: string;
  verifyToken: string;
  version: string;
  apiUrl: string;
  perSecond: number;
}

const MAX_PER_SECOND = 10_000;
const PER_SECOND = { twilio: 50, meta: 60 } as const;
const E164 = /^\+[1-9]\d{6,14}$/;
const ID = /^\d{5,20}$/;

export function readTwilioSms(env: Environment): TwilioSmsSettings {
  const because = 'SMS_PROVIDER is twilio';
  return {
    provider: 'twilio',
    account: readAccount(env, because),
    sender: readSmsSender(env, because),
    perSecond: readInteger(env, 'SMS_MAX_PER_SECOND', PER_SECOND.twilio, 1, MAX_PER_SECOND),
  };
}

function readSmsSender(env: Environment, because: Because): string {
  const service = readMatching(
    env,
    'TWILIO_MESSAGING_SERVICE_SID',
    'a Messaging Service SID, MG and 32 characters',
    /^MG[0-9a-f]{32}$/i,
  );
  const from = readMatching(
    env,
    'TWILIO_FROM',
    'a number such as +37255550134, or a name of up to 11 letters and digits',
    /^(\+[1-9]\d{6,14}|\d{3,8}|(?=.*[A-Za-z])[A-Za-z0-9 ]{1,11})$/,
  );
  const sender = service ?? from;
  if (sender === null) {
    throw new OperatorError(
      `${because}, which needs TWILIO_MESSAGING_SERVICE_SID or TWILIO_FROM: the sender of texts.`,
    );
  }
  if (service !== null && from !== null)
    throw new OperatorError('TWILIO_MESSAGING_SERVICE_SID and TWILIO_FROM are both set: set only one.');
  return sender;
}

export function readTwilioWhatsapp(env: Environment): TwilioWhatsappSettings {
  const because = 'WHATSAPP_PROVIDER is twilio';
  const what = 'the number that WhatsApp messages come from, such as +37255550134';
  return {
    provider: 'twilio',
    account: readAccount(env, because),
    sender: requireMatching(env, 'TWILIO_WHATSAPP_FROM', because, what, E164),
    perSecond: readInteger(env, 'WHATSAPP_MAX_PER_SECOND', PER_SECOND.twilio, 1, MAX_PER_SECOND),
  };
}

function readAccount(env: Environment, because: Because): TwilioAccount {
  const sid = 'the SID of the account, AC and 32 characters';
  return {
    accountSid: requireMatching(env, 'TWILIO_ACCOUNT_SID', because, sid, /^AC[0-9a-f]{32}$/i),
    authToken: requireVariable(env, 'TWILIO_AUTH_TOKEN', because, 'the auth token of the account'),
    apiUrl: apiUrl(env, 'TWILIO_API_URL', 'https://api.twilio.com'),
    contentUrl: apiUrl(env, 'TWILIO_CONTENT_URL', 'https://content.twilio.com'),
  };
}

export function readMeta(env: Environment): MetaSettings {
  const because = 'WHATSAPP_PROVIDER is meta';
  const version = readVariable(env, 'META_GRAPH_VERSION') ?? 'v23.0';
  if (!/^v\d{1,3}\.\d$/.test(version))
    throw new OperatorError(`META_GRAPH_VERSION must look like v23.0, but is "${version}".`);
  return {
    provider: 'meta',
    accessToken: requireVariable(env, 'META_ACCESS_TOKEN', because, 'the token of a system user'),
    phoneNumberId: requireMatching(
      env,
      'META_PHONE_NUMBER_ID',
      because,
      'the id of the phone number (digits, and not the number itself)',
      ID,
    ),
    accountId: requireMatching(env, 'META_WABA_ID', because, 'the id of the WhatsApp Business Account', ID),
    appSecret: requireVariable(
      env,
      'META_APP_SECRET',
      because,
      'the secret of the app, which signs its webhooks',
    ),
    verifyToken: requireVariable(
      env,
      'META_VERIFY_TOKEN',
      because,
      'any text, entered again where the webhook is set up',
    ),
    version,
    apiUrl: apiUrl(env, 'META_API_URL', 'https://graph.facebook.com'),
    perSecond: readInteger(env, 'WHATSAPP_MAX_PER_SECOND', PER_SECOND.meta, 1, MAX_PER_SECOND),
  };
}
