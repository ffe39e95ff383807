import { dkimKey } from './providerKeys.ts';

/** What an operator would set for each provider, with the address of a mock in place of the real one. */

export const SHARED_ENV = {
  email: 'updates@waypost.example',
  sms: '+447700900900',
  whatsapp: '+447700900901',
  phoneNumberId: '106540352242922',
} as const;

export const PROVIDER_SECRETS = {
  postmark: 'a password for webhooks',
  resend: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
  mailgun: 'mg-signing-key-0123456789abcdef',
  /** Public; its private half is in providerKeys.ts. */
  sendgrid:
    'MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEh+Jbs+A31F7JzEGxhfDvhOQUybm623oguAhcdtgwIOXYsqtSvsLqqA03aM75ZkIYLxXqPPdQpzmvPC4w7n/8yQ==',
  twilio: '12345678901234567890123456789012',
  http: 'whsec_d2F5cG9zdC1leGFtcGxlLXNlY3JldC0yNGI=',
  httpCallback: 'whsec_d2F5cG9zdC1jYWxsYmFjay1zZWNyZXQtMjRi',
  meta: 'meta_app_secret',
  metaVerify: 'a word between us',
  brevo: 'a-token-for-webhooks',
  vonage: 'vonage_secret',
  topic: 'arn:aws:sns:eu-west-1:123456789012:waypost-events',
} as const;

export const ACCOUNT_SID = `AC${'0'.repeat(32)}`;
export const VONAGE_API_KEY = 'abcd1234';
export const WABA_ID = '102290129340398';

export const smtpEnv = (port: number): Record<string, string> => ({
  EMAIL_PROVIDER: 'smtp',
  EMAIL_FROM: SHARED_ENV.email,
  SMTP_HOST: '127.0.0.1',
  SMTP_PORT: String(port),
  SMTP_SECURITY: 'none',
});

export const sesEnv = (url: string): Record<string, string> => ({
  EMAIL_PROVIDER: 'ses',
  EMAIL_FROM: SHARED_ENV.email,
  AWS_REGION: 'eu-west-1',
  AWS_ACCESS_KEY_ID: 'AKIDEXAMPLE',
  AWS_SECRET_ACCESS_KEY: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY',
  SES_CONFIGURATION_SET: 'waypost',
  SES_SNS_TOPICS: PROVIDER_SECRETS.topic,
  SES_API_URL: url,
});

export const postmarkEnv = (url: string): Record<string, string> => ({
  EMAIL_PROVIDER: 'postmark',
  EMAIL_FROM: SHARED_ENV.email,
  POSTMARK_SERVER_TOKEN: 'server-token',
  POSTMARK_WEBHOOK_PASSWORD: PROVIDER_SECRETS.postmark,
  POSTMARK_API_URL: url,
});

export const resendEnv = (url: string): Record<string, string> => ({
  EMAIL_PROVIDER: 'resend',
  EMAIL_FROM: SHARED_ENV.email,
  EMAIL_MAX_PER_SECOND: '100',
  RESEND_API_KEY: 're_key',
  RESEND_WEBHOOK_SECRET: PROVIDER_SECRETS.resend,
  RESEND_API_URL: url,
});

export const brevoEnv = (url: string): Record<string, string> => ({
  EMAIL_PROVIDER: 'brevo',
  EMAIL_FROM: SHARED_ENV.email,
  BREVO_API_KEY: 'xkeysib-key',
  BREVO_WEBHOOK_TOKEN: PROVIDER_SECRETS.brevo,
  BREVO_API_URL: url,
});

export const mailgunEnv = (url: string): Record<string, string> => ({
  EMAIL_PROVIDER: 'mailgun',
  EMAIL_FROM: SHARED_ENV.email,
  MAILGUN_API_KEY: 'key-mailgun',
  MAILGUN_DOMAIN: 'mg.waypost.example',
  MAILGUN_WEBHOOK_SIGNING_KEY: PROVIDER_SECRETS.mailgun,
  MAILGUN_API_URL: url,
});

export const sendgridEnv = (url: string): Record<string, string> => ({
  EMAIL_PROVIDER: 'sendgrid',
  EMAIL_FROM: SHARED_ENV.email,
  SENDGRID_API_KEY: 'SG.key',
  SENDGRID_WEBHOOK_PUBLIC_KEY: PROVIDER_SECRETS.sendgrid,
  SENDGRID_API_URL: url,
});

const twilioEnv = (url: string): Record<string, string> => ({
  TWILIO_ACCOUNT_SID: ACCOUNT_SID,
  TWILIO_AUTH_TOKEN: PROVIDER_SECRETS.twilio,
  TWILIO_API_URL: url,
  TWILIO_CONTENT_URL: url,
});

export const twilioSmsEnv = (url: string): Record<string, string> => ({
  ...twilioEnv(url),
  SMS_PROVIDER: 'twilio',
  TWILIO_FROM: SHARED_ENV.sms,
});

export const twilioWhatsappEnv = (url: string): Record<string, string> => ({
  ...twilioEnv(url),
  WHATSAPP_PROVIDER: 'twilio',
  TWILIO_WHATSAPP_FROM: SHARED_ENV.whatsapp,
});

export const vonageEnv = (url: string): Record<string, string> => ({
  SMS_PROVIDER: 'vonage',
  VONAGE_APPLICATION_ID: 'aaaaaaaa-bbbb-cccc-dddd-0123456789ab',
  // Any RSA key.
  VONAGE_PRIVATE_KEY: dkimKey,
  VONAGE_API_KEY,
  VONAGE_SIGNATURE_SECRET: PROVIDER_SECRETS.vonage,
  VONAGE_FROM: SHARED_ENV.sms,
  VONAGE_API_URL: url,
});

export const metaEnv = (url: string): Record<string, string> => ({
  WHATSAPP_PROVIDER: 'meta',
  META_ACCESS_TOKEN: 'meta-token',
  META_PHONE_NUMBER_ID: SHARED_ENV.phoneNumberId,
  META_WABA_ID: WABA_ID,
  META_APP_SECRET: PROVIDER_SECRETS.meta,
  META_VERIFY_TOKEN: PROVIDER_SECRETS.metaVerify,
  META_API_URL: url,
});

const httpEnv = (url: string): Record<string, string> => ({
  HTTP_PROVIDER_URL: url,
  HTTP_PROVIDER_SECRET: PROVIDER_SECRETS.http,
  HTTP_PROVIDER_CALLBACK_SECRET: PROVIDER_SECRETS.httpCallback,
});

export const httpEmailEnv = (url: string): Record<string, string> => ({
  ...httpEnv(url),
  EMAIL_PROVIDER: 'http',
  EMAIL_FROM: SHARED_ENV.email,
});

export const httpSmsEnv = (url: string): Record<string, string> => ({
  ...httpEnv(url),
  SMS_PROVIDER: 'http',
  HTTP_PROVIDER_SMS_FROM: SHARED_ENV.sms,
});

export const httpWhatsappEnv = (url: string): Record<string, string> => ({
  ...httpEnv(url),
  WHATSAPP_PROVIDER: 'http',
  HTTP_PROVIDER_WHATSAPP_FROM: SHARED_ENV.whatsapp,
});
