import { systemClock } from '../kit/clock.ts';
import {
  type AnyOutbound,
  mayPass,
  type Provider,
  type ProviderCall,
  type ProviderResponse,
} from './provider.ts';

/**
 * Several providers as one. A message goes to the next one only where the one before certainly took nothing, so that nothing goes
 * out twice: after an unknown outcome, or a refusal of the message itself, nobody else is asked.
 */
export function inOrder<Message extends AnyOutbound>(
  providers: readonly Provider<Message>[],
): Provider<Message> {
  const [only] = providers;
  if (only !== undefined && providers.length === 1) return only;
  return {
    name: providers.map(({ name }) => name).join(','),
    maxConcurrent: Math.min(...providers.map(({ maxConcurrent }) => maxConcurrent)),
    timeoutMs: providers.reduce((sum, { timeoutMs }) => sum + timeoutMs, 0),
    isPaused: () => providers.every((provider) => provider.isPaused?.() ?? false),
    async send(message, signal, span) {
      const calls: ProviderCall[] = [];
      let passedOver: ProviderResponse | null = null;
      for (const provider of providers) {
        if (calls.length > 0 && signal.aborted) break;
        const startedAt = systemClock.now();
        const response = await provider.send(message, signal, span);
        calls.push({ provider: provider.name, response, startedAt, endedAt: systemClock.now() });
        if (!tookNothing(response)) return { ...response, calls };
        // What is not set up waits for the operator without an end; what another provider said says more about the message.
        if (passedOver === null || passedOver.outcome === 'not_set_up') passedOver = response;
      }
      return { ...(passedOver ?? NOBODY), calls };
    },
  };
}

const NOBODY: ProviderResponse = { outcome: 'not_taken', errorCode: 'no_provider' };

/** The provider certainly did not accept the message, for a reason that says nothing about the message itself. */
export const tookNothing = (response: ProviderResponse): boolean =>
  response.outcome === 'not_taken' ||
  response.outcome === 'not_set_up' ||
  (response.outcome === 'refused' && mayPass(response.because));
