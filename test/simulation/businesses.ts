import { createBusiness } from '../../src/businesses/create.ts';
import { changeSettings } from '../../src/businesses/settingsChange.ts';
import { transaction } from '../../src/db/transaction.ts';
import { createEndpoint } from '../../src/webhooks/endpoints.ts';
import { createAllowList } from '../../src/webhooks/publicAddress.ts';
import { MessagesModel } from './messagesModel.ts';
import { RecipientsModel } from './recipientsModel.ts';
import type { Simulation } from './simulation.ts';

export interface SimulatedBusiness {
  id: string;
  /** Never revoked, so that a merchant always has a key. */
  apiKey: string;
  keyId: string;
  /** Keys minted later, active or revoked. */
  minted: { id: string; key: string }[];
  people: RecipientsModel;
  messages: MessagesModel;
}

const LOW_BALANCE = 3;

/** A merchant with an account, a first key and an endpoint. */
export async function addBusiness(simulation: Simulation, credits: number): Promise<void> {
  const { pool, sealer } = simulation.testBed;
  const [process] = simulation.processes;
  if (!process) throw new Error('there is no process');
  const number = simulation.businesses.length;
  await simulation.start('set up', process, async () => {
    const made = await createBusiness(pool, simulation.clock, { name: `Shop ${number}`, credits });
    await transaction(pool, (tx) =>
      changeSettings(
        tx,
        simulation.clock.now(),
        made.businessId,
        { lowBalanceThreshold: LOW_BALANCE, replyForward: 'full', contactEmail: 'contact@shop.example' },
        'operator',
      ),
    );
    const url = `http://receiver.test:9000/${made.businessId}`;
    const { secret } = await createEndpoint(
      {
        pool,
        clock: simulation.clock,
        sealer,
        hosts: {
          resolve: async () => [],
          allowHosts: createAllowList(['receiver.test:9000']),
          unresolved: 'refuse',
        },
      },
      { businessId: made.businessId, keyId: made.keyId, url, eventTypes: [], description: '' },
    );
    simulation.secrets.set(`/${made.businessId}`, secret);
    simulation.businesses.push({
      id: made.businessId,
      apiKey: made.apiKey,
      keyId: made.keyId,
      minted: [],
      people: new RecipientsModel(),
      messages: new MessagesModel(),
    });
  });
  await simulation.settle();
}
