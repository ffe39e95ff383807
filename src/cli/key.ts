import { createKey, revokeKey } from '../businesses/keys.ts';
import { findOwner } from '../businesses/keysSql.ts';
import { KEY_NAME_MAX } from '../config/limits.ts';
import { OperatorError } from '../kit/errors.ts';
import { command } from './command.ts';
import { facts, table } from './layout.ts';
import { id, line } from './values.ts';

const keyCreate = command({
  path: 'key create',
  about: 'Makes an API key for a business; the key is shown this once',
  arguments: { ID: 'the id of the business' },
  flags: { name: { value: 'NAME', about: 'what the key is for; "Untitled key" unless given' } },
  async run(given, cli) {
    const businessId = given.argument('ID', id);
    const name = given.flag('name', line(KEY_NAME_MAX)) ?? null;
    const { pool, clock } = await cli.open();
    const key = await createKey(pool, clock, { businessId, mintedBy: null, name, detach: false });
    const json = {
      key_id: key.id,
      business_id: businessId,
      name: key.name,
      api_key: key.key,
      masked: key.masked,
      created: key.created,
      minted_by: key.minted_by,
    };
    return { json, text: `${facts(Object.entries(json))}\n\nThe key is shown this once: keep it now.` };
  },
});

const keyRevoke = command({
  path: 'key revoke',
  about: 'Revokes a key, with every key it created that is not detached',
  arguments: { KEY_ID: 'the id of the key, as business show lists it' },
  flags: {},
  async run(given, cli) {
    const keyId = given.argument('KEY_ID', id);
    const { pool, clock } = await cli.open();
    const [owner] = await findOwner(pool, keyId);
    if (!owner) throw new OperatorError(`No active key has the id "${keyId}".`);
    const revoked = await revokeKey(pool, clock, { businessId: owner.businessId, keyId, revokedBy: null });
    return {
      json: { key_id: keyId, business_id: owner.businessId, revoked },
      text: table(
        ['revoked key'],
        revoked.map((one) => [one]),
        '',
      ),
    };
  },
});

export const keyCommands = [keyCreate, keyRevoke];
