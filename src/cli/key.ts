import { createKey, revokeKey } from '../businesses/keys.ts';
import { findOwner } from '../businesses/keysSql.ts';
import { KEY_NAME_MAX } from '../config/limits.ts';
import { keyAccesses } from '../contract/keys.ts';
import { OperatorError } from '../kit/errors.ts';
import { id, line, oneOf } from '../kit/typedValues.ts';
import { argument, BUSINESS_ID, databaseCommand, flag } from './command.ts';
import { factsReport, SAVE_KEY, table } from './layout.ts';

const keyCreate = databaseCommand({
  path: 'key create',
  about: 'Creates an API key for a business; the key is shown only once',
  arguments: { ID: BUSINESS_ID },
  flags: {
    name: flag('NAME', 'what the key is for; default "Untitled key"', line(KEY_NAME_MAX)),
    access: flag('ACCESS', `what it may call: ${keyAccesses.join('|')}; default full`, oneOf(keyAccesses)),
  },
  async run({ ID: businessId, name = null, access = 'full' }, { pool, clock }) {
    const key = await createKey(pool, clock, { businessId, mintedBy: null, name, detach: false, access });
    const made = {
      key_id: key.id,
      business_id: businessId,
      name: key.name,
      api_key: key.key,
      masked: key.masked,
      created: key.created,
      minted_by: key.minted_by,
      access: key.access,
    };
    return factsReport(made, SAVE_KEY);
  },
});

const keyRevoke = databaseCommand({
  path: 'key revoke',
  about: 'Revokes a key, with every key it created that is not detached',
  arguments: { KEY_ID: argument('the id of the key, as business show lists it', id) },
  async run({ KEY_ID: keyId }, { pool, clock }) {
    const [owner] = await findOwner(pool, keyId);
    if (!owner) throw new OperatorError(`No active key has the id "${keyId}".`);
    const revoked = await revokeKey(pool, clock, { businessId: owner.businessId, keyId, revokedBy: null });
    const rows = revoked.map((one) => [one]);
    return {
      json: { key_id: keyId, business_id: owner.businessId, revoked },
      text: table(['revoked key'], rows, ''),
    };
  },
});

export const keyCommands = [keyCreate, keyRevoke];
