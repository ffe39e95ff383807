import { handleCallback } from '../callbacks/handleCallback.ts';
import { callbackRoutes } from '../callbacks/routes.ts';
import type { ProviderSettings } from '../config/providers.ts';
import { systemClock } from '../kit/clock.ts';
import { snsCalls } from '../providers/ses/callback.ts';
import type { Background } from './background.ts';
import type { Foundation } from './foundation.ts';

/** The callback routes of the configured providers. */
export function providerCallbacks(foundation: Foundation, { onSends, onEvents }: Background) {
  const { config, publicUrl, http, log, metrics } = foundation;
  const deps = {
    ...foundation,
    onSends,
    onEvents,
    sharedSenders: sharedSenders(config.providerSettings),
    onReport: metrics.observeReport,
  };
  return callbackRoutes({
    settings: config.providerSettings,
    publicUrl,
    handle: (provider, callback, span) => handleCallback(deps, provider, callback, span),
    sns: foundation.sns ?? snsCalls(http),
    wallClock: systemClock,
    log,
    observe: metrics.observeCallback,
  });
}

const sharedSenders = ({ sms, whatsapp }: ProviderSettings) => ({
  sms: sms.provider === 'sandbox' ? [] : [sms.sender],
  whatsapp:
    whatsapp.provider === 'sandbox'
      ? []
      : [whatsapp.provider === 'meta' ? whatsapp.phoneNumberId : whatsapp.sender],
});
