import { expect, test } from 'vitest';
import { layoutOf } from './processLayout.ts';

test.each([
  [{ api: true, worker: true }, 2, ['api 1: api', 'api 2: api', 'worker: worker, silent']],
  [{ api: true, worker: false }, 3, ['api 1: api', 'api 2: api', 'api 3: api']],
  [{ api: false, worker: true }, 2, ['worker 1: worker', 'worker 2: worker']],
])('with the roles %j and PROCESSES=%d there are %j', (roles, processes, plans) => {
  const described = layoutOf(roles, processes).map(
    ({ name, roles: { api, worker }, serves }) =>
      `${name}: ${[api && 'api', worker && 'worker', !serves && 'silent'].filter(Boolean).join(', ')}`,
  );
  expect(described).toEqual(plans);
});
