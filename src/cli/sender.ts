import { OPERATOR } from '../businesses/audit.ts';
import { giveSender, senderOn, takeSender } from '../businesses/senders.ts';
import { listSenders } from '../businesses/sql.ts';
import { channels } from '../contract/channels.ts';
import { transaction } from '../db/transaction.ts';
import { OperatorError } from '../kit/errors.ts';
import { id, oneOf } from '../kit/typedValues.ts';
import { requireBusiness } from './businessView.ts';
import { command } from './command.ts';
import { facts, table } from './layout.ts';

const WHAT = {
  ID: 'the id of the business',
  CHANNEL: channels.join('|'),
};

const ADDRESS =
  'an email address; a number, name or Messaging Service SID; a WhatsApp number or phone number id';

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
      await giveSender(tx, clock.now(), { businessId, channel, address, actor: OPERATOR });
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
      const removed = await takeSender(tx, clock.now(), { businessId, channel, actor: OPERATOR });
      if (removed === null) throw new OperatorError(`The business has no sender of its own on ${channel}.`);
      return removed;
    });
    const json = { business_id: businessId, channel, address, removed: true };
    return { json, text: facts(Object.entries(json)) };
  },
});

export const senderCommands = [senderSet, senderList, senderRemove];
