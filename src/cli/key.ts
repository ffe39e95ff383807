import { createKey, revokeKey } from '../businesses/keys.ts';
import { findOwner } from '../businesses/keysSql.ts';
import { KEY_NAME_MAX } from '../config/limits.ts';
import { keyAccesses } from '../contract/keys.ts';
import { OperatorError } from '../kit/errors.ts';
import { id, line, oneOf } from '../kit/typedValues.ts';
import { command } from './command.ts';
import { facts, table } from './layout.ts';

const keyCreate = command({
  path: 'key create',
  about: 'Creates an API key for a business; the key is shown only once',
  arguments: { ID: 'the id of the business' },
  flags: {
    name: { value: 'NAME', about: 'what the key is for; default "Untitled key"' },
    access: { value: 'ACCESS', about: `what it may call: ${keyAccesses.join('|')}; default full` },
  },
  async run(input, cli) {
    const businessId = input.argument('ID', id);
    const name = input.flag('name', line(KEY_NAME_MAX)) ?? null;
    const access = input.flag('access', oneOf(keyAccesses)) ?? 'full';
    const { pool, clock } = await cli.open();
    const key = await createKey(pool, clock, { businessId, mintedBy: null, name, detach: false, access });
    const json = {
      key_id: key.id,
      business_id: businessId,
      name: key.name,
      api_key: key.key,
      masked: key.masked,
      created: key.created,
      minted_by: key.minted_by,
      access: key.access,
    };
    return { json, text: `${facts(Object.entries(json))}\n\nSave the key now: it is shown only once.` };
  },
});

const keyRevoke = command({
  path: 'key revoke',
  about: 'Revokes a key, with every key it created that is not detached',
  arguments: { KEY_ID: 'the id of the key, as business show lists it' },
  flags: {},
  async run(input, cli) {
    const keyId = input.argument('KEY_ID', id);
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
