import type { Because, Reading } from '../config/reading.ts';
import { group, integer, required } from '../config/variable.ts';
import { parseEmailAddress } from '../kit/emailAddress.ts';

const perSecond = (about: string) =>
  integer(
    [1, 10_000],
    `${about} that one process submits to a provider per second`,
    'what the provider allows by default',
  );

export const emailVariables = group('Email', 'With any email provider but the sandbox.', {
  EMAIL_FROM: required('address that mail comes from, without a name: the name is the business’s'),
  EMAIL_MAX_PER_SECOND: perSecond('mails'),
});

export const paidVariables = group('SMS and WhatsApp', 'With any of their providers but the sandbox.', {
  SMS_MAX_PER_SECOND: perSecond('texts'),
  WHATSAPP_MAX_PER_SECOND: perSecond('WhatsApp messages'),
});

/** A form of senders. Postgres reads the patterns, too. */
export interface SenderForm {
  what: string;
  pattern: RegExp;
}

/** What texts can come from with every provider. */
export const TEXT_SENDER: SenderForm = {
  what: 'a number such as +37255550134, a short code, or a name of up to 11 letters and digits',
  pattern: /^(\+[1-9]\d{6,14}|\d{3,8}|(?=.*[A-Za-z])[A-Za-z0-9 ]{1,11})$/,
};
export const MESSAGING_SERVICE: SenderForm = {
  what: 'a Messaging Service SID, MG and 32 characters',
  pattern: /^MG[0-9a-f]{32}$/i,
};
export const WHATSAPP_NUMBER: SenderForm = {
  what: 'a number such as +37255550134',
  pattern: /^\+[1-9]\d{6,14}$/,
};
export const PHONE_NUMBER_ID: SenderForm = {
  what: 'the id of a phone number (digits, and not the number itself)',
  pattern: /^\d{5,20}$/,
};

/** What the settings of each provider of email begin with. `perSecond`: unless EMAIL_MAX_PER_SECOND says otherwise. */
export const emailSettings = <Provider extends string>(
  reading: Reading,
  provider: Provider,
  perSecond: number,
) => ({
  provider,
  from: emailFrom(reading, becauseEmail(provider)),
  perSecond: reading.integerOr(emailVariables.variables.EMAIL_MAX_PER_SECOND, perSecond),
});

export const becauseEmail = (provider: string): Because => `EMAIL_PROVIDER is ${provider}`;

/** The address that mail comes from unless a business has its own. */
function emailFrom(reading: Reading, because: Because): string {
  const { EMAIL_FROM } = emailVariables.variables;
  const text = reading.required(EMAIL_FROM, because);
  const address = parseEmailAddress(text);
  if (address === null && text !== '')
    reading.mistake(`EMAIL_FROM must be an email address without a name, but is "${text}".`);
  return address ?? '';
}
