import { OPERATOR } from '../businesses/audit.ts';
import { paidChannels } from '../contract/channels.ts';
import { transaction } from '../db/transaction.ts';
import { exportRecipient } from '../erasure/export.ts';
import { OperatorError } from '../kit/errors.ts';
import { maskPhone } from '../kit/phoneNumber.ts';
import { email, oneOf } from '../kit/typedValues.ts';
import { catchUp } from '../orders/projector.ts';
import { stopForShop } from '../outbox/shopStop.ts';
import { countMessages, findRecipient, type StoredRecipient } from '../recipients/sql.ts';
import { findReasons } from '../recipients/stopsSql.ts';
import { changeBusiness, requireBusiness } from './businessView.ts';
import { argument, BUSINESS_ID, databaseCommand, requiredFlag } from './command.ts';
import { factsReport } from './layout.ts';

const WHO = { ID: BUSINESS_ID, EMAIL: argument('the address of the recipient', email) };

const recipientShow = databaseCommand({
  path: 'recipient show',
  about: 'Shows a recipient: number, consent, stops and suppressions',
  arguments: WHO,
  async run({ ID: businessId, EMAIL: address }, { pool, hasher }) {
    await requireBusiness(pool, businessId);
    const [row] = await findRecipient(pool, businessId, address);
    if (!row) throw notARecipient(address);
    const reasons = await findReasons(pool, businessId, (await hasher())('email', address));
    const [counted] = await countMessages(pool, businessId, row.id);
    return factsReport({
      ...view(businessId, row),
      suppressed_for: reasons.map(({ reason }) => reason),
      messages: counted?.messages ?? 0,
    });
  },
});

const recipientStop = databaseCommand({
  path: 'recipient stop',
  about: 'Stops a channel for a recipient, as the dashboard does; a START by SMS does not lift it',
  arguments: WHO,
  flags: { channel: requiredFlag('CHANNEL', paidChannels.join('|'), oneOf(paidChannels)) },
  async run({ ID: businessId, EMAIL: address, channel }, { pool, clock, hasher }) {
    const hash = await hasher();
    const request = { businessId, email: address, channel, actor: OPERATOR };
    const stopped = await changeBusiness(pool, businessId, (tx) => stopForShop(tx, { clock, hash }, request));
    if (stopped === null) throw notARecipient(address);
    return factsReport({
      business_id: businessId,
      recipient_id: stopped.recipientId,
      email: address,
      channel,
      status: 'stopped',
      sends_skipped: stopped.cancelled,
    });
  },
});

const recipientExport = databaseCommand({
  path: 'recipient export',
  about: 'Writes all stored data about a recipient as JSON, for a data subject access request',
  arguments: WHO,
  async run({ ID: businessId, EMAIL: address }, { pool, clock, hasher }) {
    const business = await requireBusiness(pool, businessId);
    const hash = await hasher();
    await catchUp({ pool, clock }, businessId);
    const held = await transaction(pool, (tx) => exportRecipient(tx, hash, { businessId, email: address }));
    if (held === null) throw new OperatorError(`Nothing is stored about ${address} for this business.`);
    const json = { business_id: businessId, business: business.name, exported_at: clock.now(), ...held };
    // The text is JSON too: nothing shorter holds everything.
    return { json, text: JSON.stringify(json, null, 2) };
  },
});

const view = (
  businessId: string,
  { id, email, phone, phone_country, language: _, ...facts }: StoredRecipient,
) => ({
  business_id: businessId,
  recipient_id: id,
  email,
  phone: phone === null ? null : maskPhone(phone),
  country: phone_country,
  ...facts,
});

const notARecipient = (address: string): OperatorError =>
  new OperatorError(`${address} is not a recipient of this business.`);

export const recipientCommands = [recipientShow, recipientStop, recipientExport];
