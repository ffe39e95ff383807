import { readBrevo } from './brevo/settings.ts';
import { readHttpEmail, readHttpSms, readHttpWhatsapp } from './http/settings.ts';
import { readMailgun } from './mailgun/settings.ts';
import { readMeta } from './meta/settings.ts';
import { readPostmark } from './postmark/settings.ts';
import { readResend } from './resend/settings.ts';
import { readSendgrid } from './sendgrid/settings.ts';
import { readSes } from './ses/settings.ts';
import { readSmtp } from './smtp/settings.ts';
import { readTwilioSms, readTwilioWhatsapp } from './twilio/settings.ts';
import { readVonage } from './vonage/settings.ts';

/* The providers of each channel, by the name in EMAIL_PROVIDER and its like. kinds.ts has what each of them does. */

export const emailReaders = {
  smtp: readSmtp,
  ses: readSes,
  postmark: readPostmark,
  resend: readResend,
  brevo: readBrevo,
  mailgun: readMailgun,
  sendgrid: readSendgrid,
  http: readHttpEmail,
};
export const smsReaders = { twilio: readTwilioSms, vonage: readVonage, http: readHttpSms };
export const whatsappReaders = { meta: readMeta, twilio: readTwilioWhatsapp, http: readHttpWhatsapp };

export type EmailSettings = ReturnType<(typeof emailReaders)[keyof typeof emailReaders]>;
export type SmsSettings = ReturnType<(typeof smsReaders)[keyof typeof smsReaders]>;
export type WhatsappSettings = ReturnType<(typeof whatsappReaders)[keyof typeof whatsappReaders]>;
