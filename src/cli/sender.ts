import { OPERATOR } from '../businesses/audit.ts';
import { giveSender, takeSender } from '../businesses/senders.ts';
import { listSenders } from '../businesses/sql.ts';
import { channels } from '../contract/channels.ts';
import { OperatorError } from '../kit/errors.ts';
import { oneOf, shown } from '../kit/typedValues.ts';
import { providerOn, senderOn } from '../providers/senders.ts';
import { changeBusiness, requireBusiness, sendersShown } from './businessView.ts';
import { argument, BUSINESS_ID, command, databaseCommand, flag } from './command.ts';
import { factsReport } from './layout.ts';
import { senderAdd, senderCheck } from './senderDomain.ts';

/** What is valid depends on the channel. */
const asTyped = (text: string): string => text;

const CHANNEL = argument(channels.join('|'), oneOf(channels));
const ADDRESS = argument(
  'an email address; a number, name or Messaging Service SID; a WhatsApp number or phone number id',
  asTyped,
);

const PROVIDER = 'use it with this one alone, of several providers of the channel';

const senderSet = command({
  path: 'sender set',
  about: 'Gives a business its own sender instead of the shared one, used as it is',
  arguments: { ID: BUSINESS_ID, CHANNEL, ADDRESS },
  flags: { provider: flag('NAME', PROVIDER, asTyped) },
  async run({ ID: businessId, CHANNEL: channel, ADDRESS: typed, provider: named }, cli) {
    const providers = cli.config.providers[channel];
    const provider = named === undefined ? null : providerOn(channel, providers)(named, '--provider');
    const address = senderOn(channel, provider === null ? providers : [provider])(typed, 'ADDRESS');
    const { pool, clock } = await cli.open();
    await changeBusiness(pool, businessId, (tx) =>
      giveSender(tx, clock.now(), { businessId, channel, provider, address, actor: OPERATOR }),
    );
    return factsReport({ business_id: businessId, channel, ...(provider && { provider }), address });
  },
});

const senderList = databaseCommand({
  path: 'sender list',
  about: "Lists a business's own senders",
  arguments: { ID: BUSINESS_ID },
  async run({ ID: businessId }, { pool }) {
    await requireBusiness(pool, businessId);
    const { items, text } = sendersShown(await listSenders(pool, businessId));
    return { json: { items }, text };
  },
});

const senderRemove = databaseCommand({
  path: 'sender remove',
  about: 'Removes the own sender of a business, which then uses the shared one',
  arguments: { ID: BUSINESS_ID, CHANNEL },
  flags: { provider: flag('NAME', 'the one that is used with this provider alone', asTyped) },
  async run({ ID: businessId, CHANNEL: channel, provider = null }, { pool, clock }) {
    const address = await changeBusiness(pool, businessId, (tx) =>
      takeSender(tx, clock.now(), { businessId, channel, provider, actor: OPERATOR }),
    );
    if (address === null) {
      const alone = provider === null ? '' : ` with ${shown(provider)} alone`;
      throw new OperatorError(`The business has no sender of its own on ${channel}${alone}.`);
    }
    return factsReport({
      business_id: businessId,
      channel,
      ...(provider !== null && { provider }),
      address,
      removed: true,
    });
  },
});

export const senderCommands = [senderAdd, senderCheck, senderSet, senderList, senderRemove];
