import fc from 'fast-check';
import { expect, test } from 'vitest';
import { codeSentence } from './codeWords.ts';
import { META_VERDICTS } from './meta/answers.ts';
import { TWILIO_VERDICTS } from './twilio/api.ts';
import { VONAGE_VERDICTS } from './vonage/api.ts';

const codesOf = (provider: string, verdicts: object): string[] =>
  Object.keys(verdicts).map((code) => `${provider}_${code}`);

test.each([
  ...codesOf('twilio', TWILIO_VERDICTS),
  ...codesOf('vonage', VONAGE_VERDICTS),
  ...codesOf('meta', META_VERDICTS),
])('%s, whose verdict is known, is a sentence', (code) => {
  expect(codeSentence(code)).toMatch(/^[A-Z].*\.$/);
});

test.each([
  ['handset_unreachable', 'The phone was off or out of reach.'],
  ['http_handset_unreachable', 'The phone was off or out of reach.'],
  ['twilio_21614', 'The number is not a valid mobile number.'],
  ['meta_131026', 'The number is not on WhatsApp.'],
  ['vonage_1180', null],
  ['smtp_550_5.1.1', 'There is no mailbox with this address.'],
  ['smtp_550_5.1.10', 'There is no mailbox with this address.'],
  ['smtp_bounce_5.2.2', 'The mailbox is full.'],
  ['smtp_554_5.7.1', 'The customer’s mail server took the email for spam, or for a danger.'],
  ['smtp_451_4.3.0', 'The mailbox could not take the email. It may be full or out of order.'],
  ['ses_permanent_noemail', 'There is no mailbox with this address.'],
  ['mailgun_http_429', 'The provider took no more messages for now.'],
  ['sms.undelivered', null],
  ['twilio_constructor', null],
  ['of_a_later_version', null],
])('%s is said as %s', (code, sentence) => {
  expect(codeSentence(code)).toBe(sentence);
});

test('no code makes it throw', () => {
  fc.assert(
    fc.property(fc.string(), (code) => {
      codeSentence(code);
    }),
  );
});
