import { createKey, type KeyItem, listKeys, revokeKey } from '../../businesses/keys.ts';
import { REQUEST_BODY_MAX } from '../../config/limits.ts';
import { CreatedKey, CreateKeyBody, KeyList, KeyParams } from '../../contract/keys.ts';
import type { Pool } from '../../db/pool.ts';
import type { Clock } from '../../kit/clock.ts';
import { type AnyOperation, json, noContent, operation } from '../operation.ts';

const item = {
  id: 'mh0q2z4k00x7c1v9b3n5m8l2',
  name: 'Shop backend',
  masked: 'way_live_…x7c1',
  created: '2026-08-20T09:15:00.000Z',
  minted_by: null,
  access: 'full',
} as const;

export function keyOperations({ pool, clock }: { pool: Pool; clock: Clock }): AnyOperation[] {
  return [
    operation({
      id: 'listKeys',
      method: 'GET',
      path: '/api/v1/keys',
      access: [],
      tag: 'API keys',
      summary: 'List the active keys',
      description: 'Newest first. Every key records its creator in `minted_by`.',
      bodyLimit: REQUEST_BODY_MAX,
      success: { status: 200, shape: KeyList, description: 'The active keys.' },
      errors: [],
      examples: { response: { items: [item] } },
      handle: async ({ caller }) =>
        json(200, { items: (await listKeys(pool, caller.businessId)).map(keyItem) }),
    }),

    operation({
      id: 'createKey',
      method: 'POST',
      path: '/api/v1/keys',
      access: [],
      tag: 'API keys',
      summary: 'Create a key',
      description:
        'The new key is a child of the one that creates it and is revoked with it, unless `detach` is true. The whole key is ' +
        'in this response only. `access` limits what it may call, for good. A business has at most 25 active keys.',
      body: CreateKeyBody,
      bodyOptional: true,
      bodyLimit: REQUEST_BODY_MAX,
      success: { status: 201, shape: CreatedKey, description: 'The new key, whole.' },
      errors: ['plan.read_only', 'key.limit_reached'],
      examples: {
        request: { name: 'Shop backend' },
        response: { ...item, key: 'way_live_4k8s1q9z7x2c5v0b3n6m8l1p4o7i9u2y5t8r1e6w' },
      },
      handle: async ({ caller, body }) => {
        const created = await createKey(pool, clock, {
          businessId: caller.businessId,
          mintedBy: caller.keyId,
          name: body.name ?? null,
          detach: body.detach,
          access: body.access,
        });
        const { id, name, ...rest } = keyItem(created);
        return json(201, { id, name, key: created.key, ...rest });
      },
    }),

    operation({
      id: 'revokeKey',
      method: 'DELETE',
      path: '/api/v1/keys/{key_id}',
      access: [],
      tag: 'API keys',
      summary: 'Revoke a key',
      description:
        'The key stops working at once, with every key it created that is not detached, and theirs.',
      params: KeyParams,
      bodyLimit: REQUEST_BODY_MAX,
      success: { status: 204, shape: null, description: 'Revoked.' },
      errors: ['key.not_found'],
      examples: {},
      handle: async ({ caller, params }) => {
        await revokeKey(pool, clock, {
          businessId: caller.businessId,
          keyId: params.key_id,
          revokedBy: caller.keyId,
        });
        return noContent;
      },
    }),
  ];
}

const keyItem = ({ id, name, masked, created, minted_by, access }: KeyItem) => ({
  id,
  name,
  masked,
  created: created.toISOString(),
  minted_by,
  access,
});
