import { transaction } from '../db/transaction.ts';
import { exportRecipient } from '../erasure/export.ts';
import { OperatorError } from '../kit/errors.ts';
import { knownBusiness } from './businessView.ts';
import { command } from './command.ts';
import { email, id } from './values.ts';

const recipientExport = command({
  path: 'recipient export',
  about: 'Writes everything that is held about a recipient as JSON, for whoever asks what we know of them',
  arguments: { ID: 'the id of the business', EMAIL: 'the address of the recipient' },
  flags: {},
  async run(given, cli) {
    const businessId = given.argument('ID', id);
    const address = given.argument('EMAIL', email);
    const { pool, clock, hasher } = await cli.open();
    const business = await knownBusiness(pool, businessId);
    const hash = await hasher();
    const held = await transaction(pool, (tx) => exportRecipient(tx, hash, { businessId, email: address }));
    if (held === null) throw new OperatorError(`Nothing is held about ${address} for this business.`);
    const json = { business_id: businessId, business: business.name, exported_at: clock.now(), ...held };
    // A document either way: there is no shorter way to say everything.
    return { json, text: JSON.stringify(json, null, 2) };
  },
});

export const exportCommands = [recipientExport];
