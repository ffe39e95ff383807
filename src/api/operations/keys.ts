import { createKey, revokeKey } from '../../businesses/keys.ts';
import { listKeys } from '../../businesses/keysSql.ts';
import { CreatedKey, CreateKeyBody, KeyList, KeyParams } from '../../contract/keys.ts';
import { json, noContent, type OperationDeps, operation } from '../operation.ts';

export const keyOperations = (deps: OperationDeps) => [list(deps), create(deps), revoke(deps)];

const example = {
  id: 'mh0q2z4k00x7c1v9b3n5m8l2',
  name: 'Shop backend',
  masked: 'way_live_…x7c1',
  created: '2026-08-20T09:15:00.000Z',
  minted_by: null,
  access: 'full',
} as const;

const list = ({ pool }: OperationDeps) =>
  operation({
    id: 'listKeys',
    method: 'GET',
    path: '/api/v1/keys',
    tag: 'API keys',
    summary: 'List the active keys',
    description: 'Newest first. Every key records its creator in `minted_by`.',
    success: { status: 200, shape: KeyList, description: 'The active keys.' },
    examples: { response: { items: [example] } },
    handle: async ({ caller }) => json(200, { items: await listKeys(pool, caller.businessId) }),
  });

const create = ({ pool, clock }: OperationDeps) =>
  operation({
    id: 'createKey',
    method: 'POST',
    path: '/api/v1/keys',
    tag: 'API keys',
    summary: 'Create a key',
    description:
      'The new key is a child of the one that creates it and is revoked with it, unless `detach` is true. The whole key is ' +
      'in this response only. `access` limits what it may call, for good. A business has at most 25 active keys.',
    body: CreateKeyBody,
    bodyOptional: true,
    success: { status: 201, shape: CreatedKey, description: 'The new key, whole.' },
    errors: ['plan.read_only', 'key.limit_reached'],
    examples: {
      request: { name: 'Shop backend' },
      response: { ...example, key: 'way_live_4k8s1q9z7x2c5v0b3n6m8l1p4o7i9u2y5t8r1e6w' },
    },
    handle: async ({ caller, body }) => {
      const { businessId, keyId: mintedBy } = caller;
      const { name = null, detach, access } = body;
      return json(201, await createKey(pool, clock, { businessId, mintedBy, name, detach, access }));
    },
  });

const revoke = ({ pool, clock }: OperationDeps) =>
  operation({
    id: 'revokeKey',
    method: 'DELETE',
    path: '/api/v1/keys/{key_id}',
    tag: 'API keys',
    summary: 'Revoke a key',
    description: 'The key stops working at once, with every key it created that is not detached, and theirs.',
    params: KeyParams,
    success: { status: 204, shape: null, description: 'Revoked.' },
    errors: ['key.not_found'],
    handle: async ({ caller: { businessId, keyId: revokedBy }, params }) => {
      await revokeKey(pool, clock, { businessId, keyId: params.key_id, revokedBy });
      return noContent;
    },
  });
