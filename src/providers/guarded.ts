import { setTimeout as sleep } from 'node:timers/promises';
import type { Channel } from '../contract/channels.ts';
import { type Clock, monotonicMs, SECOND } from '../kit/clock.ts';
import { Circuit } from './circuit.ts';
import type { Faults } from './faults.ts';
import type { AnyOutbound, Provider, ProviderResponse } from './provider.ts';

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
  channel: Channel,
  provider: Provider<Message>,
  { clock, faults, perSecond }: GuardDeps,
): Provider<Message> & { isPaused(): boolean } {
  const pace = new ProviderPace(perSecond);
  const account = new Circuit(clock);
  const senders = new SenderCircuits(clock);

  const observe = observer(channel, provider.name, faults, account, senders);
  const startable = Math.floor((perSecond * RATE_WAIT_MAX_MS) / SECOND);

  return {
    name: provider.name,
    maxConcurrent: Math.max(1, Math.min(provider.maxConcurrent, startable)),
    timeoutMs: provider.timeoutMs + RATE_WAIT_MAX_MS,
    isPaused: () => account.isOpen,
    async send(message, signal, span) {
      const own = senders.known(message.from);
      if (own !== null && !own.admits()) return PAUSED;
      if (!account.admits()) {
        own?.undecided();
        return PAUSED;
      }
      await pace.wait(signal);
      try {
        const answer = await provider.send(message, signal, span);
        observe(message, senders.known(message.from), answer);
        return answer;
      } catch (error) {
        account.undecided();
        own?.undecided();
        throw error;
      }
    },
  };
}

/** Notes what an answer shows about the account, and about the business's own sender. */
function observer(
  channel: Channel,
  provider: string,
  faults: Faults,
  account: Circuit,
  senders: SenderCircuits,
) {
  const ofProvider = `account of ${provider}`;
  const ofSender = (from: string) => `${from} with ${provider}`;
  return ({ from }: AnyOutbound, own: Circuit | null, answer: ProviderResponse): void => {
    if (answer.outcome === 'not_set_up') {
      // The shared sender counts as the account: its faults affect every business.
      const ofAccount = answer.concerns === 'account' || from === null;
      (ofAccount ? account : senders.of(from)).faulted();
      faults.raise(channel, ofAccount ? ofProvider : ofSender(from), answer.sentence);
      if (ofAccount) own?.undecided();
      // The call got as far as the sender's fault, so the account works.
      else if (account.worked()) faults.clear(channel, ofProvider);
      return;
    }
    if (answer.outcome === 'refused' && answer.alarm !== undefined)
      faults.raise(channel, answer.errorCode, answer.alarm);
    if (provesAccountWorks(answer)) {
      if (account.worked()) faults.clear(channel, ofProvider);
      if (from !== null && own?.worked()) faults.clear(channel, ofSender(from));
    } else {
      account.undecided();
      own?.undecided();
    }
  };
}

/** The circuits of businesses' own senders that had a fault; the one with the oldest fault is forgotten first. */
class SenderCircuits {
  readonly #clock: Clock;
  readonly #circuits = new Map<string, Circuit>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  known(sender: string | null): Circuit | null {
    return sender === null ? null : (this.#circuits.get(sender) ?? null);
  }

  of(sender: string): Circuit {
    const circuit = this.known(sender) ?? new Circuit(this.#clock);
    this.#circuits.delete(sender);
    this.#circuits.set(sender, circuit);
    const [oldest] = this.#circuits.keys();
    if (this.#circuits.size > SENDERS_MAX && oldest !== undefined) this.#circuits.delete(oldest);
    return circuit;
  }
}

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
