import { setTimeout as sleep } from 'node:timers/promises';
import { type Clock, monotonicMs, SECOND } from '../kit/clock.ts';
import { Circuit } from './circuit.ts';
import type { Faults, FaultyChannel } from './faults.ts';
import type { AnyOutbound, NotSetUp, Provider, ProviderResponse } from './provider.ts';

export interface GuardDeps {
  clock: Clock;
  faults: Faults;
  perSecond: number;
}

/** A turn is never further away than this: no more calls are under way at once than begin in this time. */
const LONGEST_TURN_MS = 2 * SECOND;
/** Businesses whose own sender is at fault, remembered at once. */
const MOST_SENDERS = 1_000;

/**
 * An adapter with what all of them need around it: a pace, and a pause while something is for the operator to put right.
 * A fault of the account pauses the channel; one of a business's own sender pauses that sender alone.
 */
export function guarded<Message extends AnyOutbound>(
  channel: FaultyChannel,
  provider: Provider<Message>,
  { clock, faults, perSecond }: GuardDeps,
): Provider<Message> & { isPaused(): boolean } {
  const pace = new ProviderPace(perSecond);
  const account = new Circuit(clock);
  const senders = new Map<string, Circuit>();

  const about = (concerns: NotSetUp['concerns'], { from }: Message) =>
    concerns === 'account' || from === null ? ACCOUNT : from;

  const circuitOf = (name: string): Circuit => {
    if (name === ACCOUNT) return account;
    const known = senders.get(name) ?? new Circuit(clock);
    senders.delete(name);
    senders.set(name, known);
    const [oldest] = senders.keys();
    if (senders.size > MOST_SENDERS && oldest !== undefined) senders.delete(oldest);
    return known;
  };

  const learn = (message: Message, answer: ProviderResponse): void => {
    const own = message.from === null ? null : (senders.get(message.from) ?? null);
    if (answer.outcome === 'not_set_up') {
      const name = about(answer.concerns, message);
      circuitOf(name).faulted();
      faults.raise(channel, name, answer.sentence);
      // It got as far as the sender's fault, so the account itself is fine.
      if (name !== ACCOUNT && account.worked()) faults.clear(channel, ACCOUNT);
      if (name === ACCOUNT) own?.undecided();
      return;
    }
    if (answer.outcome === 'refused' && answer.alarm !== undefined)
      faults.raise(channel, answer.errorCode, answer.alarm);
    if (isTelling(answer)) {
      if (account.worked()) faults.clear(channel, ACCOUNT);
      if (message.from !== null && own?.worked()) faults.clear(channel, message.from);
    } else {
      account.undecided();
      own?.undecided();
    }
  };

  return {
    name: provider.name,
    maxConcurrent: Math.max(
      1,
      Math.min(provider.maxConcurrent, Math.floor((perSecond * LONGEST_TURN_MS) / SECOND)),
    ),
    timeoutMs: provider.timeoutMs + LONGEST_TURN_MS,
    isPaused: () => account.isOpen,
    async send(message, signal) {
      const own = message.from === null ? null : (senders.get(message.from) ?? null);
      if (own !== null && !own.admits()) return PAUSED;
      if (!account.admits()) {
        own?.undecided();
        return PAUSED;
      }
      await pace.turn(signal);
      try {
        const answer = await provider.send(message, signal);
        learn(message, answer);
        return answer;
      } catch (error) {
        account.undecided();
        own?.undecided();
        throw error;
      }
    },
  };
}

/** The shared sender counts as the account: whatever is wrong with it is wrong for everyone. */
const ACCOUNT = '';

const PAUSED: ProviderResponse = {
  outcome: 'not_set_up',
  concerns: 'account',
  errorCode: 'paused',
  sentence: 'Paused until what is wrong is put right.',
};

/** The provider looked at the message itself, which it does for nobody whom it does not let in. */
const isTelling = (answer: ProviderResponse): boolean =>
  answer.outcome === 'accepted' ||
  (answer.outcome === 'refused' && answer.because !== 'busy' && answer.because !== 'over_limits');

/** Spaces calls out so that no more than so many begin in a second: what a provider allows is cheaper kept than tried. */
export class ProviderPace {
  readonly #everyMs: number;
  #next = 0;

  constructor(perSecond: number) {
    this.#everyMs = SECOND / perSecond;
  }

  /** Waits for its turn. Ends early when the signal fires. */
  async turn(signal: AbortSignal): Promise<void> {
    const now = monotonicMs();
    const mine = Math.max(now, this.#next);
    this.#next = mine + this.#everyMs;
    if (mine > now) await sleep(mine - now, undefined, { signal }).catch(() => {});
  }
}
