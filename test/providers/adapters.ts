import type { Adapter } from './adapters/bench.ts';
import { brevoAdapter } from './adapters/brevo.ts';
import { httpEmailAdapter, httpSmsAdapter, httpWhatsappAdapter } from './adapters/http.ts';
import { mailgunAdapter } from './adapters/mailgun.ts';
import { metaAdapter } from './adapters/meta.ts';
import { postmarkAdapter } from './adapters/postmark.ts';
import { resendAdapter } from './adapters/resend.ts';
import { sendgridAdapter } from './adapters/sendgrid.ts';
import { sesAdapter } from './adapters/ses.ts';
import { smtpAdapter } from './adapters/smtp.ts';
import { twilioSmsAdapter, twilioWhatsappAdapter } from './adapters/twilio.ts';
import { vonageAdapter } from './adapters/vonage.ts';

/** Every provider's adapter before a mock of it: one file each, beside this one. */
export const ADAPTERS: readonly Adapter[] = [
  smtpAdapter,
  sesAdapter,
  postmarkAdapter,
  resendAdapter,
  mailgunAdapter,
  sendgridAdapter,
  brevoAdapter,
  twilioSmsAdapter,
  vonageAdapter,
  metaAdapter,
  twilioWhatsappAdapter,
  httpEmailAdapter,
  httpSmsAdapter,
  httpWhatsappAdapter,
];
