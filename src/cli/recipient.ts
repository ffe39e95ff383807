import { OPERATOR } from '../businesses/audit.ts';
import { paidChannels } from '../contract/channels.ts';
import { transaction } from '../db/transaction.ts';
import { OperatorError } from '../kit/errors.ts';
import { maskPhone } from '../kit/phoneNumber.ts';
import { email, id, oneOf } from '../kit/typedValues.ts';
import { stopForShop } from '../outbox/shopStop.ts';
import { countMessages, findRecipient, type RecipientDetails } from '../recipients/sql.ts';
import { findReasons } from '../recipients/stopsSql.ts';
import { requireBusiness } from './businessView.ts';
import { command } from './command.ts';
import { facts } from './layout.ts';

const WHO = { ID: 'the id of the business', EMAIL: 'the address of the recipient' };

const recipientShow = command({
  path: 'recipient show',
  about: 'Shows a recipient: number, consent, stops and suppressions',
  arguments: WHO,
  flags: {},
  async run(input, cli) {
    const businessId = input.argument('ID', id);
    const address = input.argument('EMAIL', email);
    const { pool, hasher } = await cli.open();
    await requireBusiness(pool, businessId);
    const [row] = await findRecipient(pool, businessId, address);
    if (!row) throw notARecipient(address);
    const reasons = await findReasons(pool, businessId, (await hasher())('email', address));
    const [counted] = await countMessages(pool, businessId, row.id);
    const json = {
      ...view(businessId, row),
      suppressed_for: reasons.map(({ reason }) => reason),
      messages: counted?.messages ?? 0,
    };
    return { json, text: facts(Object.entries(json)) };
  },
});

const recipientStop = command({
  path: 'recipient stop',
  about: 'Stops a channel for a recipient, as the dashboard does; a START by text does not lift it',
  arguments: WHO,
  flags: { channel: { value: 'CHANNEL', about: paidChannels.join('|'), required: true } },
  async run(input, cli) {
    const businessId = input.argument('ID', id);
    const address = input.argument('EMAIL', email);
    const channel = input.required('channel', oneOf(paidChannels));
    const { pool, clock, hasher } = await cli.open();
    const hash = await hasher();
    const json = await transaction(pool, async (tx) => {
      await requireBusiness(tx, businessId);
      const asked = { businessId, email: address, channel, actor: OPERATOR };
      const stopped = await stopForShop(tx, { clock, hash }, asked);
      if (stopped === null) throw notARecipient(address);
      return {
        business_id: businessId,
        recipient_id: stopped.recipientId,
        email: address,
        channel,
        status: 'stopped',
        sends_skipped: stopped.cancelled,
      };
    });
    return { json, text: facts(Object.entries(json)) };
  },
});

const view = (businessId: string, row: RecipientDetails) => ({
  business_id: businessId,
  recipient_id: row.id,
  email: row.email,
  phone: row.phone === null ? null : maskPhone(row.phone),
  country: row.country,
  sms_status: row.smsStatus,
  sms_status_at: row.smsStatusAt,
  sms_stopped_by: row.smsStoppedBy,
  sms_consent_at: row.smsConsentAt,
  sms_consent_source: row.smsConsentSource,
  whatsapp_status: row.whatsappStatus,
  whatsapp_status_at: row.whatsappStatusAt,
  unsubscribed_at: row.unsubscribedAt,
  created_at: row.createdAt,
});

const notARecipient = (address: string): OperatorError =>
  new OperatorError(`${address} is not a recipient of this business.`);

export const recipientCommands = [recipientShow, recipientStop];
