import { handleCallback } from '../callbacks/handleCallback.ts';
import { callbackRoutes } from '../callbacks/routes.ts';
import type { Config } from '../environment/config.ts';
import { systemClock } from '../kit/clock.ts';
import type { CallbackFormat } from '../providers/callbackFormat.ts';
import { emailProvider, smsProvider, whatsappProvider } from '../providers/kinds.ts';
import { snsCalls } from '../providers/ses/callback.ts';
import type { Background } from './background.ts';
import type { Foundation } from './foundation.ts';

/** The callback routes of the configured providers. */
export function providerCallbacks(foundation: Foundation, { onSends, onEvents }: Background) {
  const { config, log, metrics } = foundation;
  const deps = {
    ...foundation,
    onSends,
    onEvents,
    sharedSenders: sharedSenders(config),
    onReport: metrics.observeReport,
  };
  return callbackRoutes({
    formats: formatsOf(foundation),
    handle: (provider, callback, span) => handleCallback(deps, provider, callback, span),
    wallClock: systemClock,
    log,
    observe: metrics.observeCallback,
  });
}

/** One provider can serve several channels; its callbacks are the same for all of them. */
function formatsOf({ config, http, publicUrl, secretKeys, log, sns = snsCalls(http) }: Foundation) {
  const { email, sms, whatsapp } = config.providerSettings;
  const all = [...email.map(emailProvider), ...sms.map(smsProvider), ...whatsapp.map(whatsappProvider)];
  const deps = { publicUrl, secretKeys, sns, wallClock: systemClock, log };
  return new Map<string, CallbackFormat>(
    all.flatMap((provider) => {
      const format = provider.callbacks(deps);
      return format === null ? [] : [[provider.name, format]];
    }),
  );
}

/** The numbers or account ids that the businesses without their own sender share. */
const sharedSenders = ({ providerSettings: { sms, whatsapp }, smsRoutes }: Config) => ({
  sms: [...sms, ...smsRoutes.values()].flatMap(({ sender }) => sender ?? []),
  whatsapp: whatsapp.map((one) => (one.provider === 'meta' ? one.phoneNumberId : one.sender)),
});
