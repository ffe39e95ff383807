import type { Dispatcher } from 'undici';
import { type Clock, HOUR, SECOND } from '../kit/clock.ts';
import { ApiError } from '../kit/errors.ts';
import { isObject, listAt, parseJsonText } from '../kit/json.ts';
import { failureSentence, refusalSentence } from '../webhooks/failureSentence.ts';
import { callOut } from './callOut.ts';
import type { Proof, PublicKey } from './kinds/kind.ts';

export const KEYS_PATH = '/.well-known/jwks.json';
export const KEY_SET_AGE_MS = HOUR;
/** Anybody can send a call with a key that nobody knows, so a store is not asked for each. */
export const KEYS_REFRESH_EVERY_MS = 30 * SECOND;
/** How long an unreadable store is left alone: otherwise each of its calls would wait for the timeout. */
export const UNREADABLE_FOR_MS = 5 * SECOND;
export const KEYS_TIMEOUT_MS = 3 * SECOND;
export const KEY_SET_MAX_BYTES = 64 * 1024;
export const KEYS_MAX = 20;
const STORES_MAX = 1_000;

export type KeySets = Pick<Proof, 'keysOf'>;

/** 503, because a store does not repeat what was answered with 401. The shop reads `failure`. */
export class KeysUnreadable extends ApiError {
  readonly failure: string;

  constructor(reason: string) {
    super('common.unavailable');
    this.failure = `The store’s public keys (${KEYS_PATH}) could not be read: ${reason}.`;
  }
}

interface StoreKeys {
  keys: readonly PublicKey[] | null;
  readAt: number;
  refreshedAt: number;
  failure: { error: KeysUnreadable; at: number } | null;
  reading: Promise<readonly PublicKey[]> | null;
}

/** The public keys of stores, each read once for all calls that need it at the same moment. */
export function createKeySets(deps: { client: Dispatcher; clock: Clock }): KeySets {
  const stores = new LastUsed<StoreKeys>(STORES_MAX);

  return {
    async keysOf(storeUrl, { refresh }) {
      const store = stores.get(storeUrl, newStore);
      const now = deps.clock.now().getTime();
      if (store.reading !== null) return withFallback(store, refresh, store.reading);

      const { keys, failure } = store;
      const wantsRead = refresh
        ? now - store.refreshedAt >= KEYS_REFRESH_EVERY_MS
        : keys === null || now - store.readAt >= KEY_SET_AGE_MS;
      const isUnreadable = failure !== null && now - failure.at < UNREADABLE_FOR_MS;
      if (!wantsRead || isUnreadable) {
        // A key that could not be looked for is not an unknown one.
        if (failure !== null && (refresh || keys === null)) throw failure.error;
        return keys ?? [];
      }

      if (refresh) store.refreshedAt = now;
      store.reading = readInto(store, storeUrl, deps).finally(() => {
        store.reading = null;
      });
      return withFallback(store, refresh, store.reading);
    },
  };
}

const newStore = (): StoreKeys => ({
  keys: null,
  readAt: 0,
  refreshedAt: Number.NEGATIVE_INFINITY,
  failure: null,
  reading: null,
});

/** Keys that are only old still prove a call that they match. */
async function withFallback(store: StoreKeys, refresh: boolean, reading: Promise<readonly PublicKey[]>) {
  try {
    return await reading;
  } catch (error) {
    if (refresh || store.keys === null) throw error;
    return store.keys;
  }
}

async function readInto(store: StoreKeys, storeUrl: string, deps: { client: Dispatcher; clock: Clock }) {
  try {
    const keys = keysIn(await readText(deps.client, storeUrl));
    store.keys = keys;
    store.readAt = deps.clock.now().getTime();
    store.failure = null;
    return keys;
  } catch (error) {
    const unreadable = error instanceof KeysUnreadable ? error : new KeysUnreadable(failureSentence(error));
    store.failure = { error: unreadable, at: deps.clock.now().getTime() };
    throw unreadable;
  }
}

async function readText(client: Dispatcher, storeUrl: string): Promise<string> {
  if (!URL.canParse(storeUrl)) throw new KeysUnreadable('the store’s address is not a URL');
  const called = await callOut(
    client,
    { method: 'GET', url: new URL(KEYS_PATH, storeUrl).href },
    { timeoutMs: KEYS_TIMEOUT_MS, maxBytes: KEY_SET_MAX_BYTES },
  );
  if (called.kind !== 'answered')
    throw new KeysUnreadable(called.kind === 'failed' ? called.error : called.kind);
  const { status } = called;
  if (status !== 200) throw new KeysUnreadable(refusalSentence(status) ?? `answered ${status}`);
  if (called.text === null) throw new KeysUnreadable('the answer is too large');
  return called.text;
}

function keysIn(text: string): readonly PublicKey[] {
  const keys = listAt(parseJsonText(text), 'keys').filter(isObject);
  if (keys.length === 0) throw new KeysUnreadable('the answer is not a set of keys');
  if (keys.length > KEYS_MAX) throw new KeysUnreadable(`the answer has more than ${KEYS_MAX} keys`);
  return keys;
}

/** At most `max` values, those that were asked for last. */
class LastUsed<Value> {
  readonly #values = new Map<string, Value>();
  readonly #max: number;

  constructor(max: number) {
    this.#max = max;
  }

  get(name: string, create: () => Value): Value {
    const value = this.#values.get(name) ?? create();
    this.#values.delete(name);
    this.#values.set(name, value);
    const [oldest] = this.#values.keys();
    if (this.#values.size > this.#max && oldest !== undefined) this.#values.delete(oldest);
    return value;
  }
}
