import { systemClock } from '../kit/clock.ts';
import {
  type AnyOutbound,
  mayPass,
  type Provider,
  type ProviderAnswer,
  type ProviderCall,
  type WhyChosen,
} from './provider.ts';
import { ownSenderAt } from './senders.ts';
import type { Traffic } from './traffic.ts';

/** Where a message goes first whatever the order says, and the shared sender that it then comes from; null: as for every message. */
export interface Route {
  provider: string;
  sender: string | null;
}

interface Choice {
  traffic: Pick<Traffic, 'first' | 'called'>;
  routeOf?(message: AnyOutbound): Route | null;
}

/**
 * Several providers as one. A message goes to the next one only where the one before certainly took nothing, so that nothing goes
 * out twice: after an unknown outcome, or a refusal of the message itself, nobody else is asked.
 */
export function inOrder<Message extends AnyOutbound>(
  providers: readonly Provider<Message>[],
  { traffic, routeOf = () => null }: Choice,
): Provider<Message> {
  const choose = (message: Message): { first: string | null; because: WhyChosen; sender: string | null } => {
    const route = routeOf(message);
    if (route !== null) return { first: route.provider, because: 'route', sender: route.sender };
    const first = traffic.first();
    return { first, because: first === providers[0]?.name ? 'order' : 'traffic', sender: null };
  };
  return {
    name: providers.map(({ name }) => name).join(','),
    maxConcurrent: Math.min(...providers.map(({ maxConcurrent }) => maxConcurrent)),
    timeoutMs: providers.reduce((sum, { timeoutMs }) => sum + timeoutMs, 0),
    isPaused: () => providers.every((provider) => provider.isPaused?.() ?? false),
    async send(message, signal, span) {
      const calls: ProviderCall[] = [];
      const { first, because, sender } = choose(message);
      const isFirst = ({ name }: Provider<Message>): boolean => name === first;
      const order = [...providers.filter(isFirst), ...providers.filter((one) => !isFirst(one))];
      let passedOver: ProviderAnswer | null = null;
      for (const provider of order) {
        if (calls.length > 0 && signal.aborted) break;
        const { name } = provider;
        const startedAt = systemClock.now();
        const from = ownSenderAt(name, message.channel, message) ?? (isFirst(provider) ? sender : null);
        const { calls: _, ...answer } = await provider.send({ ...message, from }, signal, span);
        traffic.called(name, answer);
        const why = calls.length > 0 ? 'next' : because;
        calls.push({ provider: name, because: why, answer, startedAt, endedAt: systemClock.now() });
        if (!tookNothing(answer)) return { ...answer, calls };
        // What is not set up waits for the operator without an end; what another provider said says more about the message.
        if (passedOver === null || passedOver.outcome === 'not_set_up') passedOver = answer;
      }
      return { ...(passedOver ?? NOBODY), calls };
    },
  };
}

const NOBODY: ProviderAnswer = { outcome: 'not_taken', errorCode: 'no_provider' };

/** The provider certainly did not accept the message, for a reason that says nothing about the message itself. */
export const tookNothing = (answer: ProviderAnswer): boolean =>
  answer.outcome === 'not_taken' ||
  answer.outcome === 'not_set_up' ||
  (answer.outcome === 'refused' && mayPass(answer.because));
