import { actingKey } from '../../businesses/audit.ts';
import { viewCredits } from '../../businesses/credits.ts';
import type { Caller } from '../../businesses/keys.ts';
import {
  CreditsView,
  PhoneBody,
  RecipientExport,
  RecipientParams,
  RecipientView,
  SmsView,
} from '../../contract/recipients.ts';
import { transaction } from '../../db/transaction.ts';
import { exportRecipient, withInterfaceTimes } from '../../erasure/export.ts';
import { catchUp } from '../../orders/projector.ts';
import { enterPhone, removePhone, viewSms } from '../../recipients/phones.ts';
import { viewRecipient } from '../../recipients/view.ts';
import { found, json, type OperationDeps, operation } from '../operation.ts';
import { recipientExamples } from './examples.ts';

const view = {
  recipient_email: 'ann@example.com',
  phone: '+372 •••• 0134',
  sms_status: 'active',
  sms_status_at: '2026-08-20T09:15:00.000Z',
  sms_consent_at: '2026-08-20T09:15:00.000Z',
  sms_consent_source: 'api',
};

/** An export of a person with many messages is long, and holds a connection meanwhile. */
const EXPORTS_AT_ONCE = 2;

const onOne = { tag: 'Recipients', params: RecipientParams } as const;

const whoOf = ({ businessId }: Caller, { email }: { email: string }) => ({ businessId, email });

const entryBy = ({ keyId }: Caller) => ({ source: 'api', actor: actingKey(keyId) }) as const;

export const recipientOperations = (deps: OperationDeps) => [
  credits(deps),
  getOne(deps),
  exportOne(deps),
  getSms(deps),
  setNumber(deps),
  clearNumber(deps),
];

const credits = ({ pool }: OperationDeps) =>
  operation({
    id: 'getCredits',
    method: 'GET',
    path: '/api/v1/credits',
    access: ['send', 'read'],
    tag: 'Credits',
    summary: 'Read the credit balance',
    description:
      'One credit sends one message on whichever paid channel carries it, until a country’s price says otherwise.',
    success: { status: 200, shape: CreditsView, description: 'The balance.' },
    examples: { response: { balance: 1000, low_balance: false, threshold: 20 } },
    handle: async ({ caller }) => json(200, await viewCredits(pool, caller.businessId)),
  });

const getOne = ({ pool, hash }: OperationDeps) =>
  operation({
    ...onOne,
    id: 'getRecipient',
    method: 'GET',
    path: '/api/v1/recipients/{email}',
    access: ['read'],
    summary: 'Read what is known about a recipient',
    description: 'Number, consent on every channel, and how each came about.',
    success: { status: 200, shape: RecipientView, description: 'The recipient.' },
    errors: ['recipient.not_found'],
    examples: { response: recipientExamples.view },
    handle: async ({ caller, params }) => json(200, await viewRecipient(pool, hash, whoOf(caller, params))),
  });

const exportOne = ({ pool, clock, hash }: OperationDeps) =>
  operation({
    ...onOne,
    id: 'exportRecipient',
    method: 'GET',
    path: '/api/v1/recipients/{email}/export',
    access: ['read'],
    summary: 'Export everything held about a recipient',
    description:
      'For their right of access: every stored row of your business about the person, as it is stored. What would open their ' +
      'inbox is left out. After an erasure it holds what outlived it.',
    concurrencyWhenShared: EXPORTS_AT_ONCE,
    isLong: true,
    success: { status: 200, shape: RecipientExport, description: 'Everything, as it is now.' },
    errors: ['recipient.not_found'],
    examples: { response: recipientExamples.exported },
    handle: async ({ caller, params, isGone }) => {
      const who = whoOf(caller, params);
      await catchUp({ pool, clock }, who.businessId);
      const held = await transaction(pool, (tx) => exportRecipient(tx, hash, who, isGone));
      const exported = { exported_at: clock.now(), ...found(held, 'recipient.not_found') };
      return { status: 200, body: withInterfaceTimes(exported) };
    },
  });

const getSms = ({ pool }: OperationDeps) =>
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
  });

const setNumber = (deps: OperationDeps) =>
  operation({
    ...onOne,
    id: 'setRecipientPhone',
    method: 'PUT',
    path: '/api/v1/recipients/{email}/phone',
    summary: 'Set a recipient’s number',
    description:
      'A number of another of your recipients is refused and not moved. A changed number clears WhatsApp consent.',
    body: PhoneBody,
    success: { status: 200, shape: SmsView, description: 'The recipient’s SMS state.' },
    errors: ['sms.phone_invalid', 'recipient.not_found', 'sms.phone_already_in_use'],
    examples: { request: { phone: '+37255550134' }, response: view },
    handle: async ({ caller, params, body }) => {
      const entered = await enterPhone(deps, whoOf(caller, params), body.phone, entryBy(caller));
      return json(200, entered.view);
    },
  });

const clearNumber = (deps: OperationDeps) =>
  operation({
    ...onOne,
    id: 'clearRecipientPhone',
    method: 'DELETE',
    path: '/api/v1/recipients/{email}/phone',
    summary: 'Clear a recipient’s number',
    description: 'Keeps opt-outs: a recipient who texted STOP stays stopped.',
    success: { status: 200, shape: SmsView, description: 'The recipient’s SMS state.' },
    errors: ['recipient.not_found'],
    examples: { response: { ...view, phone: null, sms_status: 'none' } },
    handle: async ({ caller, params }) =>
      json(200, (await removePhone(deps, whoOf(caller, params), entryBy(caller))).view),
  });
