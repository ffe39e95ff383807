import { createBusiness } from '../../src/businesses/create.ts';
import { changeSettings } from '../../src/businesses/settingsChange.ts';
import { transaction } from '../../src/db/transaction.ts';
import { createEndpoint } from '../../src/webhooks/endpoints.ts';
import { createAllowList } from '../../src/webhooks/publicAddress.ts';
import { Messages } from './messagesModel.ts';
import { People } from './model.ts';
import type { World } from './world.ts';

export interface Business {
  id: string;
  /** Never revoked: what a merchant falls back on. */
  apiKey: string;
  keyId: string;
  /** Keys minted later, live or not. */
  minted: { id: string; key: string }[];
  people: People;
  messages: Messages;
}

const LOW_BALANCE = 3;

/** A merchant with an account, a first key and an endpoint. */
export async function openBusiness(world: World, credits: number): Promise<void> {
  const { pool, sealer } = world.stage;
  const [process] = world.processes;
  if (!process) throw new Error('there is no process');
  const number = world.businesses.length;
  await world.start('set up', process, async () => {
    const made = await createBusiness(pool, world.clock, { name: `Shop ${number}`, credits });
    await transaction(pool, (tx) =>
      changeSettings(
        tx,
        world.clock.now(),
        made.businessId,
        { lowBalanceThreshold: LOW_BALANCE, replyForward: 'full', contactEmail: 'contact@shop.example' },
        'operator',
      ),
    );
    const url = `http://receiver.test:9000/${made.businessId}`;
    const { secret } = await createEndpoint(
      {
        pool,
        clock: world.clock,
        sealer,
        hosts: {
          resolve: async () => [],
          allowHosts: createAllowList(['receiver.test:9000']),
          unresolved: 'refuse',
        },
      },
      { businessId: made.businessId, keyId: made.keyId, url, eventTypes: [], description: null },
    );
    world.secrets.set(`/${made.businessId}`, secret);
    world.businesses.push({
      id: made.businessId,
      apiKey: made.apiKey,
      keyId: made.keyId,
      minted: [],
      people: new People(),
      messages: new Messages(),
    });
  });
  await world.settle();
}
