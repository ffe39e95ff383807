import { Bool, Email, Int, Nullable, OneOf, Shape, Text } from './schema.ts';
import { Timestamp } from './timestamp.ts';

export const RecipientParams = Shape({ email: Email({ description: 'The recipient’s address.' }) });

export const PhoneBody = Shape(
  { phone: Text({ description: 'The mobile number, E.164 preferred.', examples: ['+37255550134'] }) },
  { title: 'Phone' },
);

export const SmsView = Shape(
  {
    recipient_email: Text(),
    phone: Nullable(Text(), { description: 'Masked: country code and last four digits.' }),
    sms_status: OneOf(['none', 'active', 'stopped']),
    sms_status_at: Nullable(Timestamp()),
    sms_consent_at: Nullable(Timestamp(), {
      description: 'When a number was first accepted. Never changes.',
    }),
    sms_consent_source: Nullable(OneOf(['push', 'api', 'admin'])),
  },
  { title: 'RecipientSms' },
);

export const CreditsView = Shape(
  {
    balance: Int({ description: 'Message credits not yet spent.' }),
    low_balance: Bool(),
    threshold: Int(),
  },
  { title: 'Credits' },
);
