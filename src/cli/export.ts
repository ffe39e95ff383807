import { transaction } from '../db/transaction.ts';
import { exportRecipient } from '../erasure/export.ts';
import { OperatorError } from '../kit/errors.ts';
import { email, id } from '../kit/typedValues.ts';
import { requireBusiness } from './businessView.ts';
import { command } from './command.ts';

const recipientExport = command({
  path: 'recipient export',
  about: 'Writes all stored data about a recipient as JSON, for a data subject access request',
  arguments: { ID: 'the id of the business', EMAIL: 'the address of the recipient' },
  flags: {},
  async run(input, cli) {
    const businessId = input.argument('ID', id);
    const address = input.argument('EMAIL', email);
    const { pool, clock, hasher } = await cli.open();
    const business = await requireBusiness(pool, businessId);
    const hash = await hasher();
    const held = await transaction(pool, (tx) => exportRecipient(tx, hash, { businessId, email: address }));
    if (held === null) throw new OperatorError(`Nothing is stored about ${address} for this business.`);
    const json = { business_id: businessId, business: business.name, exported_at: clock.now(), ...held };
    // The text is JSON too: nothing shorter holds everything.
    return { json, text: JSON.stringify(json, null, 2) };
  },
});

export const exportCommands = [recipientExport];
