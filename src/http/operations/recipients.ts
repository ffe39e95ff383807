import { viewCredits } from '../../businesses/credits.ts';
import { REQUEST_BODY_MAX } from '../../config/limits.ts';
import { CreditsView, PhoneBody, RecipientParams, SmsView } from '../../contract/recipients.ts';
import { clearPhone, type PhoneDeps, setPhone, viewSms } from '../../recipients/phones.ts';
import { type AnyOperation, json, operation } from '../operation.ts';

const view = {
  recipient_email: 'ann@example.com',
  phone: '+372 •••• 0134',
  sms_status: 'active',
  sms_status_at: '2026-08-20T09:15:00.000Z',
  sms_consent_at: '2026-08-20T09:15:00.000Z',
  sms_consent_source: 'api',
};

const onOne = { tag: 'Recipients', params: RecipientParams, bodyLimit: REQUEST_BODY_MAX } as const;

export function recipientOperations(deps: PhoneDeps): AnyOperation[] {
  const { pool } = deps;
  return [
    operation({
      id: 'getCredits',
      method: 'GET',
      path: '/api/v1/credits',
      access: ['send', 'read'],
      tag: 'Credits',
      summary: 'Read the credit balance',
      description:
        'One credit sends one message on whichever paid channel carries it, until a country’s price says otherwise.',
      bodyLimit: REQUEST_BODY_MAX,
      success: { status: 200, shape: CreditsView, description: 'The balance.' },
      errors: [],
      examples: { response: { balance: 1000, low_balance: false, threshold: 20 } },
      handle: async ({ caller }) => json(200, await viewCredits(pool, caller.businessId)),
    }),

    operation({
      ...onOne,
      id: 'getRecipientSms',
      method: 'GET',
      path: '/api/v1/recipients/{email}/sms',
      access: ['read'],
      summary: 'Read how a recipient stands with texts',
      description: '`none`: no consent recorded either way. `stopped`: opted out.',
      success: { status: 200, shape: SmsView, description: 'The recipient’s SMS state.' },
      errors: ['recipient.not_found'],
      examples: { response: view },
      handle: async ({ caller, params }) => json(200, await viewSms(pool, caller.businessId, params.email)),
    }),

    operation({
      ...onOne,
      id: 'setRecipientPhone',
      method: 'PUT',
      path: '/api/v1/recipients/{email}/phone',
      access: [],
      summary: 'Set a recipient’s number',
      description:
        'A number of another of your recipients is refused and not moved. A changed number clears WhatsApp consent.',
      body: PhoneBody,
      success: { status: 200, shape: SmsView, description: 'The recipient’s SMS state.' },
      errors: ['sms.phone_invalid', 'recipient.not_found', 'sms.phone_already_in_use'],
      examples: { request: { phone: '+37255550134' }, response: view },
      handle: async ({ caller, params, body }) =>
        json(200, await setPhone(deps, { businessId: caller.businessId, email: params.email }, body.phone)),
    }),

    operation({
      ...onOne,
      id: 'clearRecipientPhone',
      method: 'DELETE',
      path: '/api/v1/recipients/{email}/phone',
      access: [],
      summary: 'Clear a recipient’s number',
      description: 'Keeps opt-outs: a recipient who texted STOP stays stopped.',
      success: { status: 200, shape: SmsView, description: 'The recipient’s SMS state.' },
      errors: ['recipient.not_found'],
      examples: { response: { ...view, phone: null, sms_status: 'none' } },
      handle: async ({ caller, params }) =>
        json(200, await clearPhone(deps, { businessId: caller.businessId, email: params.email })),
    }),
  ];
}
