/** Each provider as people call it. */
const TITLES: Readonly<Record<string, string>> = {
  sandbox: 'The sandbox',
  smtp: 'SMTP',
  ses: 'Amazon SES',
  postmark: 'Postmark',
  resend: 'Resend',
  brevo: 'Brevo',
  mailgun: 'Mailgun',
  sendgrid: 'SendGrid',
  twilio: 'Twilio',
  vonage: 'Vonage',
  meta: 'Meta',
  http: 'HTTP',
};

export const providerTitle = (name: string): string => TITLES[name] ?? name;
