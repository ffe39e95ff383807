import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { advanceDatabaseTime } from '../../src/db/databaseClockSql.ts';
import { buildProgram, endAllPrograms, startProgram } from '../helpers/program.ts';
import { eventually } from '../helpers/waiting.ts';
import { ASKING, CARRIERS, openHouse, sendWhen } from './house.ts';

beforeAll(buildProgram);
afterEach(endAllPrograms);
afterAll(endAllPrograms);

/** Longer than any call may last. */
const PAST_ITS_DEADLINE_MS = 600_000;

test.each(Object.values(CARRIERS).map((carrier) => [carrier.name, carrier] as const))(
  '%s: a worker killed between the request and its answer has sent it once and for all; a later report settles it',
  async (_name, { channel, open, delivered }) => {
    const provider = await open();
    provider.behave('says nothing');
    // The interface runs here, where Amazon SNS can be stood in for; the workers are processes that can be killed.
    const service = await openHouse({ ...provider.env, ROLES: 'api' });
    const worker = () =>
      startProgram({
        ...provider.env,
        ROLES: 'worker',
        DATABASE_URL: service.database.url,
        SECRET_KEY: service.secretKey,
        PUBLIC_URL: service.url,
      });
    const first = await worker();
    const shop = await service.business({ credits: 5 });
    const { id } = await shop.pushed(ASKING[channel]);
    await eventually(async () => expect(provider.references()).toHaveLength(1));
    await sendWhen(service, id, channel, { state: 'submitting' });
    await first.end('SIGKILL');

    provider.behave('takes it');
    await advanceDatabaseTime(service.pool, PAST_ITS_DEADLINE_MS);
    await worker();
    const lost = await sendWhen(service, id, channel, { state: 'failed', reason: 'outcome_unknown' });
    const other = await shop.pushed({ ...ASKING[channel], subject: 'Another' });
    await sendWhen(service, other.id, channel, { state: 'accepted' });
    const [reference = '', ...later] = provider.references();
    expect(reference).toBe(`${lost.business_id}-${lost.id}`);
    expect(later).not.toContain(reference);
    expect(later).toHaveLength(1);

    if (delivered === null) return;
    expect((await delivered(service.url, reference)).status).toBe(200);
    await sendWhen(service, id, channel, { state: 'delivered', reason: null, charged: channel !== 'email' });
  },
);
