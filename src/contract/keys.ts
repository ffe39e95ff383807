import { KEY_NAME_MAX } from '../config/limits.ts';
import { Bool, List, Nullable, OneOf, Optional, Shape, Text, Timestamp, WithDefault } from './schema.ts';

export const keyAccesses = ['full', 'send', 'read'] as const;
/** What a key may call. It is chosen when the key is made and never changes. */
export type KeyAccess = (typeof keyAccesses)[number];

export const KeyParams = Shape({ key_id: Text({ description: 'The key’s id.' }) });

export const CreateKeyBody = Shape(
  {
    name: Optional(Nullable(Text({ max: KEY_NAME_MAX }), { description: 'For your own eyes.' })),
    detach: WithDefault(
      Bool({ description: 'A detached key survives the revocation of the key that made it.' }),
      false,
    ),
    access: WithDefault(
      OneOf(keyAccesses, {
        description:
          '`full`: every call. `send`: pushing, and reading messages, credits and what became of them. `read`: every GET but keys.',
      }),
      'full',
    ),
  },
  { title: 'CreateKey' },
);

const named = { id: Text(), name: Text() };
const details = {
  masked: Text({ description: 'The key in masked form.' }),
  created: Timestamp(),
  minted_by: Nullable(Text(), { description: 'The key that created this one through the API.' }),
  access: OneOf(keyAccesses, { description: 'What the key may call.' }),
};

const KeyItemSchema = Shape({ ...named, ...details }, { title: 'ApiKey' });
export const KeyList = Shape({ items: List(KeyItemSchema) }, { title: 'ApiKeyList' });
export const CreatedKey = Shape(
  { ...named, key: Text({ description: 'The whole key, in this response only.' }), ...details },
  { title: 'CreatedApiKey' },
);
