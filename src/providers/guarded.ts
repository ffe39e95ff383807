import { setTimeout as sleep } from 'node:timers/promises';
import { type Clock, monotonicMs, SECOND } from '../kit/clock.ts';
import { Circuit } from './circuit.ts';
import type { Faults, FaultyChannel } from './faults.ts';
import type { AnyOutbound, NotSetUp, Provider, ProviderResponse } from './provider.ts';

interface GuardDeps {
  clock: Clock;
  faults: Faults;
  perSecond: number;
}

/** The longest wait for the rate limit: no more calls are in flight than can start in this time. */
const RATE_WAIT_MAX_MS = 2 * SECOND;
/** The most businesses with a faulty sender that are remembered. */
const SENDERS_MAX = 1_000;

/**
 * Adds to an adapter what all of them need: a rate limit, and a pause while the operator has something to fix. A
 * fault of the account pauses the channel; a fault of a business's own sender pauses that sender only.
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
    const circuit = senders.get(name) ?? new Circuit(clock);
    senders.delete(name);
    senders.set(name, circuit);
    const [oldest] = senders.keys();
    if (senders.size > SENDERS_MAX && oldest !== undefined) senders.delete(oldest);
    return circuit;
  };

  const observe = (message: Message, answer: ProviderResponse): void => {
    const own = message.from === null ? null : (senders.get(message.from) ?? null);
    if (answer.outcome === 'not_set_up') {
      const name = about(answer.concerns, message);
      circuitOf(name).faulted();
      faults.raise(channel, name, answer.sentence);
      // The call got as far as the sender's fault, so the account works.
      if (name !== ACCOUNT && account.worked()) faults.clear(channel, ACCOUNT);
      if (name === ACCOUNT) own?.undecided();
      return;
    }
    if (answer.outcome === 'refused' && answer.alarm !== undefined)
      faults.raise(channel, answer.errorCode, answer.alarm);
    if (provesAccountWorks(answer)) {
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
      Math.min(provider.maxConcurrent, Math.floor((perSecond * RATE_WAIT_MAX_MS) / SECOND)),
    ),
    timeoutMs: provider.timeoutMs + RATE_WAIT_MAX_MS,
    isPaused: () => account.isOpen,
    async send(message, signal, span) {
      const own = message.from === null ? null : (senders.get(message.from) ?? null);
      if (own !== null && !own.admits()) return PAUSED;
      if (!account.admits()) {
        own?.undecided();
        return PAUSED;
      }
      await pace.wait(signal);
      try {
        const answer = await provider.send(message, signal, span);
        observe(message, answer);
        return answer;
      } catch (error) {
        account.undecided();
        own?.undecided();
        throw error;
      }
    },
  };
}

/** The shared sender counts as the account: its faults affect every business. */
const ACCOUNT = '';

const PAUSED: ProviderResponse = {
  outcome: 'not_set_up',
  concerns: 'account',
  errorCode: 'paused',
  sentence: 'Paused until the fault is fixed.',
};

/** Whether the provider examined the message itself, which it does only for an account in good order. */
const provesAccountWorks = (answer: ProviderResponse): boolean =>
  answer.outcome === 'accepted' ||
  (answer.outcome === 'refused' && answer.because !== 'busy' && answer.because !== 'over_limits');

/** Spaces out calls to at most `perSecond`: staying below a provider's limit is cheaper than being refused. */
class ProviderPace {
  readonly #everyMs: number;
  #next = 0;

  constructor(perSecond: number) {
    this.#everyMs = SECOND / perSecond;
  }

  /** Waits until the next call can start; ends early when the signal fires. */
  async wait(signal: AbortSignal): Promise<void> {
    const now = monotonicMs();
    const startAt = Math.max(now, this.#next);
    this.#next = startAt + this.#everyMs;
    if (startAt > now) await sleep(startAt - now, undefined, { signal }).catch(() => {});
  }
}
