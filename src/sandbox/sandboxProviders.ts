import { SECOND } from '../kit/clock.ts';
import type { AnyOutbound, Provider, ProviderResponse, Providers } from '../providers/provider.ts';
import type { Capture } from './capture.ts';
import { behaviourOf } from './people.ts';

const NAME = 'sandbox';
const MAX_CONCURRENT = 400;
const TIMEOUT_MS = 10 * SECOND;

/** Providers that capture messages instead of sending them, and answer as the simulated recipient's behaviour says. */
export function sandboxProviders(capture: Capture): Providers {
  const provider = <Message extends AnyOutbound>(): Provider<Message> => ({
    name: NAME,
    maxConcurrent: MAX_CONCURRENT,
    timeoutMs: TIMEOUT_MS,
    send: (message) => captureAndAnswer(capture, message),
  });
  return { email: provider(), sms: provider(), whatsapp: provider() };
}

async function captureAndAnswer(capture: Capture, message: AnyOutbound): Promise<ProviderResponse> {
  const behaviour = behaviourOf(message.channel, message.to, message.attempt);
  if (behaviour.answer === 'not_taken') return { outcome: 'not_taken', errorCode: 'connection_refused' };
  const providerId = await capture.keep({ message, behaviour });
  switch (behaviour.answer) {
    case 'accepted':
      return { outcome: 'accepted', providerId };
    case 'refused':
      return {
        outcome: 'refused',
        because: behaviour.refusal ?? 'message',
        errorCode: behaviour.refusal ?? 'refused',
        providerId,
      };
    case 'unknown':
      return { outcome: 'unknown', errorCode: 'answer_lost', providerId };
  }
}
