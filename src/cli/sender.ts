import { OPERATOR, recordAudit } from '../businesses/audit.ts';
import { listSenders, removeSender, setSender } from '../businesses/sql.ts';
import type { ProviderNames } from '../config/providers.ts';
import { type Channel, channels } from '../contract/channels.ts';
import { transaction } from '../db/transaction.ts';
import { OperatorError } from '../kit/errors.ts';
import { email, id, matching, oneOf, type ParseValue } from '../kit/typedValues.ts';
import { requireBusiness } from './businessView.ts';
import { command } from './command.ts';
import { facts, table } from './layout.ts';

const WHAT = {
  ID: 'the id of the business',
  CHANNEL: channels.join('|'),
};

const ADDRESS =
  'an email address; a number, name or Messaging Service SID; a WhatsApp number or phone number id';

const PHONE_NUMBER_ID = 'the id of a phone number (digits, and not the number itself)';

/** The valid senders of a channel: WhatsApp needs a number with Twilio, a phone number id with Meta. */
function senderOn(channel: Channel, { whatsapp }: ProviderNames): ParseValue<string> {
  switch (channel) {
    case 'email':
      return email;
    case 'sms':
      return matching(
        /^(\+[1-9]\d{6,14}|\d{3,8}|MG[0-9a-f]{32}|(?=.*[A-Za-z])[A-Za-z0-9 ]{1,11})$/i,
        'a number such as +37255550134, a short code, a name of up to 11 letters and digits, or a Messaging Service SID',
      );
    case 'whatsapp':
      return whatsapp === 'meta'
        ? matching(/^\d{5,20}$/, PHONE_NUMBER_ID)
        : matching(/^\+[1-9]\d{6,14}$/, 'a number such as +37255550134');
  }
}

const senderSet = command({
  path: 'sender set',
  about: 'Gives a business its own sender instead of the shared one',
  arguments: { ...WHAT, ADDRESS },
  flags: {},
  async run(input, cli) {
    const businessId = input.argument('ID', id);
    const channel = input.argument('CHANNEL', oneOf(channels));
    const address = input.argument('ADDRESS', senderOn(channel, cli.config.providers));
    const { pool, clock } = await cli.open();
    await transaction(pool, async (tx) => {
      await requireBusiness(tx, businessId);
      await setSender(tx, businessId, channel, address);
      const detail = { channel, address };
      await recordAudit(tx, clock.now(), { businessId, actor: OPERATOR, action: 'sender.set', detail });
    });
    const json = { business_id: businessId, channel, address };
    return { json, text: facts(Object.entries(json)) };
  },
});

const senderList = command({
  path: 'sender list',
  about: "Lists a business's own senders",
  arguments: { ID: WHAT.ID },
  flags: {},
  async run(input, cli) {
    const businessId = input.argument('ID', id);
    const { pool } = await cli.open();
    await requireBusiness(pool, businessId);
    const items = await listSenders(pool, businessId);
    const rows = items.map(({ channel, address }) => [channel, address]);
    return {
      json: { items },
      text: table(['channel', 'address'], rows, 'This business uses the shared senders.'),
    };
  },
});

const senderRemove = command({
  path: 'sender remove',
  about: 'Removes the own sender of a business, which then uses the shared one',
  arguments: WHAT,
  flags: {},
  async run(input, cli) {
    const businessId = input.argument('ID', id);
    const channel = input.argument('CHANNEL', oneOf(channels));
    const { pool, clock } = await cli.open();
    const address = await transaction(pool, async (tx) => {
      await requireBusiness(tx, businessId);
      const [removed] = await removeSender(tx, businessId, channel);
      if (!removed) throw new OperatorError(`The business has no sender of its own on ${channel}.`);
      const detail = { channel, address: removed.address };
      await recordAudit(tx, clock.now(), { businessId, actor: OPERATOR, action: 'sender.removed', detail });
      return removed.address;
    });
    const json = { business_id: businessId, channel, address, removed: true };
    return { json, text: facts(Object.entries(json)) };
  },
});

export const senderCommands = [senderSet, senderList, senderRemove];
