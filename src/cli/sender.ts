import { OPERATOR } from '../businesses/audit.ts';
import { giveSender, senderOn, takeSender } from '../businesses/senders.ts';
import { listSenders } from '../businesses/sql.ts';
import { channels } from '../contract/channels.ts';
import { OperatorError } from '../kit/errors.ts';
import { oneOf } from '../kit/typedValues.ts';
import { changeBusiness, requireBusiness } from './businessView.ts';
import { argument, BUSINESS_ID, command, databaseCommand } from './command.ts';
import { factsReport, listReport } from './layout.ts';
import { senderAdd, senderCheck } from './senderDomain.ts';

const CHANNEL = argument(channels.join('|'), oneOf(channels));
/** What is valid depends on the channel. */
const ADDRESS = argument(
  'an email address; a number, name or Messaging Service SID; a WhatsApp number or phone number id',
  (text) => text,
);

const senderSet = command({
  path: 'sender set',
  about: 'Gives a business its own sender instead of the shared one, used as it is',
  arguments: { ID: BUSINESS_ID, CHANNEL, ADDRESS },
  async run({ ID: businessId, CHANNEL: channel, ADDRESS: typed }, cli) {
    const address = senderOn(channel, cli.config.providers)(typed, 'ADDRESS');
    const { pool, clock } = await cli.open();
    await changeBusiness(pool, businessId, (tx) =>
      giveSender(tx, clock.now(), { businessId, channel, address, actor: OPERATOR }),
    );
    return factsReport({ business_id: businessId, channel, address });
  },
});

const senderList = databaseCommand({
  path: 'sender list',
  about: "Lists a business's own senders",
  arguments: { ID: BUSINESS_ID },
  async run({ ID: businessId }, { pool }) {
    await requireBusiness(pool, businessId);
    const senders = await listSenders(pool, businessId);
    const shown = listReport(
      ['channel', 'address', 'domain'],
      senders,
      'This business uses the shared senders.',
    );
    const items = senders.map(({ domain_state: domain, ...sender }) =>
      domain === null ? sender : { ...sender, domain },
    );
    return { ...shown, json: { items } };
  },
});

const senderRemove = databaseCommand({
  path: 'sender remove',
  about: 'Removes the own sender of a business, which then uses the shared one',
  arguments: { ID: BUSINESS_ID, CHANNEL },
  async run({ ID: businessId, CHANNEL: channel }, { pool, clock }) {
    const address = await changeBusiness(pool, businessId, (tx) =>
      takeSender(tx, clock.now(), { businessId, channel, actor: OPERATOR }),
    );
    if (address === null) throw new OperatorError(`The business has no sender of its own on ${channel}.`);
    return factsReport({ business_id: businessId, channel, address, removed: true });
  },
});

export const senderCommands = [senderAdd, senderCheck, senderSet, senderList, senderRemove];
