import { describe, expect, onTestFinished, test } from 'vitest';
import { openPool, type Pool, useAsCluster } from '../pool.ts';
import { refuseSilentShards } from './guardShardsSql.ts';

/** The shop `near` is on the first shard, every other on the second. */
function clusterPool(silent: readonly number[]): Pool {
  const pool = openPool('postgres://nowhere', { max: 1, name: 'test', onError: () => {} });
  onTestFinished(() => pool.end());
  useAsCluster(pool, {
    count: 2,
    silent: new Set(silent),
    areSuspect: false,
    of: (id) => (id === 'near' ? 0 : 1),
    watch: () => {},
  });
  return pool;
}

const ONE = 'select * from messages where business_id = $1 and id = $2';
const SEVERAL = 'select * from (select * from sends where sends.business_id = any ($1::text[])) sends';

describe('while the second shard is silent, a statement', () => {
  test.each([
    ['for a shop on it', ONE, ['far', 'id']],
    ['that changes a shop on it', 'update businesses set name = $2 where id = $1', ['far', 'name']],
    ['for several shops, one of them on it', SEVERAL, [['near', 'far']]],
    ['for all shops', 'select min(due_at) from sends where due_at > $1', [new Date(0)]],
    ['that deletes of all shops', 'delete from stops where number_hash = $1', ['hash']],
  ])('%s fails at once', (_, text, values) => {
    expect(() => refuseSilentShards(clusterPool([1]), [{ text, values }])).toThrow('does not answer');
    expect(() => refuseSilentShards(clusterPool([]), [{ text, values }])).not.toThrow();
  });

  test.each([
    ['for a shop on another', ONE, ['near', 'id']],
    ['for several shops on others', SEVERAL, [['near']]],
    ['that reads no sharded table', 'select now from service_clock where id = $1', [1]],
    ['that only inserts', 'insert into consent_log (business_id) values ($1)', ['far']],
  ])('%s is sent', (_, text, values) => {
    expect(() => refuseSilentShards(clusterPool([1]), [{ text, values }])).not.toThrow();
  });
});
