import { KEY_NAME_MAX } from '../config/limits.ts';
import { Bool, List, Nullable, Optional, Shape, Text, Timestamp, WithDefault } from './schema.ts';

export const KeyParams = Shape({ key_id: Text({ description: 'The key’s id.' }) });

export const CreateKeyBody = Shape(
  {
    name: Optional(Nullable(Text({ max: KEY_NAME_MAX }), { description: 'For your own eyes.' })),
    detach: WithDefault(
      Bool({ description: 'A detached key survives the revocation of the key that made it.' }),
      false,
    ),
  },
  { title: 'CreateKey' },
);

const named = { id: Text(), name: Text() };
const details = {
  masked: Text({ description: 'The key in masked form.' }),
  created: Timestamp(),
  minted_by: Nullable(Text(), { description: 'The key that created this one through the API.' }),
};

const KeyItemSchema = Shape({ ...named, ...details }, { title: 'ApiKey' });
export const KeyList = Shape({ items: List(KeyItemSchema) }, { title: 'ApiKeyList' });
export const CreatedKey = Shape(
  { ...named, key: Text({ description: 'The whole key, in this response only.' }), ...details },
  { title: 'CreatedApiKey' },
);
