import { KEY_NAME_MAX } from '../config/limits.ts';
import {
  Bool,
  Component,
  List,
  Nullable,
  Omittable,
  OneOf,
  Shape,
  Text,
  Timestamp,
  WithDefault,
} from './schema.ts';

export const keyAccesses = ['full', 'send', 'read'] as const;
/** What a key may call. It is chosen when the key is made and never changes. */
export type KeyAccess = (typeof keyAccesses)[number];

export const KeyParams = Shape({ key_id: Text('The key’s id.') });

export const CreateKeyBody = Component('CreateKey', {
  name: Omittable(Text({ max: KEY_NAME_MAX }), 'For your own eyes.'),
  detach: WithDefault(Bool('A detached key survives the revocation of the key that made it.'), false),
  access: WithDefault(
    OneOf(
      keyAccesses,
      '`full`: every call. `send`: pushing, shipments and tracking events, and reading messages, orders and credits. `read`: every GET but keys.',
    ),
    'full',
  ),
});

const named = { id: Text(), name: Text() };
const details = {
  masked: Text('The key in masked form.'),
  created: Timestamp(),
  minted_by: Nullable(Text(), 'The key that created this one through the API.'),
  access: OneOf(keyAccesses, 'What the key may call.'),
};

const KeyItemSchema = Component('ApiKey', { ...named, ...details });
export const KeyList = Component('ApiKeyList', { items: List(KeyItemSchema) });
export const CreatedKey = Component('CreatedApiKey', {
  ...named,
  key: Text('The whole key, in this response only.'),
  ...details,
});
