import { BREVO_WORDS } from './brevo/words.ts';
import { HTTP_WORDS } from './http/words.ts';
import { MAILGUN_WORDS } from './mailgun/words.ts';
import { metaVerdict } from './meta/answers.ts';
import { META_WORDS } from './meta/words.ts';
import { CARRIER_WORDS, type CodeWords, NO_MAILBOX, NOT_SET_UP, REFUSAL_WORDS } from './phrases.ts';
import { POSTMARK_WORDS } from './postmark/words.ts';
import { RESEND_WORDS } from './resend/words.ts';
import { SENDGRID_WORDS } from './sendgrid/words.ts';
import { SES_WORDS } from './ses/words.ts';
import { smtpWords } from './smtp/words.ts';
import { twilioVerdict } from './twilio/api.ts';
import { TWILIO_WORDS } from './twilio/words.ts';
import type { Verdict } from './verdicts.ts';
import { vonageVerdict } from './vonage/api.ts';
import { VONAGE_WORDS } from './vonage/words.ts';

/** A recorded error code as a support person would say it; null: it says nothing that a sentence could add. */
export function codeSentence(code: string): string | null {
  const own = inTable(PLAIN, code);
  if (own !== null) return own;
  const [, provider = '', bare = ''] = /^([a-z]+)_(.+)$/.exec(code) ?? [];
  const words = Object.hasOwn(PROVIDERS, provider) ? PROVIDERS[provider] : undefined;
  return words?.(bare) ?? byHttpStatus(bare);
}

const NOT_REACHED = 'The provider could not be reached.';
const ANSWER_LOST = 'The provider did not say whether it took the message.';

/** Of no provider in particular: of carriers, of the sandbox, and of connections. */
const PLAIN: CodeWords = {
  ...CARRIER_WORDS,
  mailbox_unknown: NO_MAILBOX,
  not_on_whatsapp: REFUSAL_WORDS.not_on_whatsapp,
  ...Object.fromEntries(
    [
      'connection_refused',
      'connection_failed',
      'econnrefused',
      'econnreset',
      'enotfound',
      'eai_again',
      'etimedout',
      'ehostunreach',
    ].map((code) => [code, NOT_REACHED]),
  ),
  ...Object.fromEntries(
    ['answer_lost', 'no_answer', 'no_status', 'timeout', 'unreadable_answer'].map((code) => [
      code,
      ANSWER_LOST,
    ]),
  ),
};

const PROVIDERS: Readonly<Record<string, (code: string) => string | null>> = {
  twilio: (code) => inTable(TWILIO_WORDS, code) ?? byVerdict(twilioVerdict(code)),
  vonage: (code) => inTable(VONAGE_WORDS, code) ?? byVerdict(vonageVerdict(code)),
  meta: (code) => inTable(META_WORDS, code) ?? byVerdict(metaVerdict(code)),
  ses: (code) => inTable(SES_WORDS, code),
  postmark: (code) => inTable(POSTMARK_WORDS, code),
  resend: (code) => inTable(RESEND_WORDS, code),
  brevo: (code) => inTable(BREVO_WORDS, code),
  mailgun: (code) => inTable(MAILGUN_WORDS, code),
  sendgrid: (code) => inTable(SENDGRID_WORDS, code),
  http: (code) => inTable(HTTP_WORDS, code),
  smtp: smtpWords,
};

const inTable = (words: CodeWords, code: string): string | null =>
  Object.hasOwn(words, code) ? (words[code] ?? null) : null;

const byVerdict = (verdict: Verdict | null): string | null =>
  verdict === null ? null : 'concerns' in verdict ? NOT_SET_UP : REFUSAL_WORDS[verdict.because];

/** Where the provider gave nothing but a status. */
function byHttpStatus(code: string): string | null {
  const status = Number(/^http_(\d{3})$/.exec(code)?.[1] ?? Number.NaN);
  if (status === 429) return REFUSAL_WORDS.over_limits;
  if (status >= 500) return ANSWER_LOST;
  return status === 401 || status === 403 || status === 404 ? NOT_SET_UP : null;
}
