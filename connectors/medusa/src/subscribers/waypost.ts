import { at, listAt, textAt } from '../../../../src/kit/json.ts';
import { pluginOptions } from '../options.ts';
import { isStoreEvent, STORE_EVENTS } from '../storeEvents.ts';
import { createTeller, type Shop, type Teller } from '../teller.ts';

interface SubscriberArgs {
  event: { name: string; data: unknown };
  container: {
    resolve(name: 'query'): Shop['query'];
    resolve(name: 'logger'): Shop['logger'];
    resolve(name: 'configModule'): unknown;
  };
}

const PLUGIN_NAME = '@waypost/medusa';

let teller: Teller | null = null;

/** Medusa calls it for each event. It does not wait for Waypost: a bus that works one job at a time would stop everything behind it. */
export default async function tellOrderUpdate({ event, container }: SubscriberArgs): Promise<void> {
  if (!isStoreEvent(event.name)) return;
  teller ??= createTeller(pluginOptions(ownOptions(container.resolve('configModule'))));
  const shop = { query: container.resolve('query'), logger: container.resolve('logger') };
  await teller.hear(shop, event.name, event.data);
}

/** The `pluginOptions` that Medusa passes to subscribers are empty. */
function ownOptions(configModule: unknown): unknown {
  const own = listAt(configModule, 'plugins').find((plugin) => textAt(plugin, 'resolve') === PLUGIN_NAME);
  return at(own, 'options');
}

export const config = {
  event: Object.keys(STORE_EVENTS),
  context: { subscriberId: 'waypost-order-updates' },
};
