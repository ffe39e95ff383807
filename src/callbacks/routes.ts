import type { FastifyInstance } from 'fastify';
import { bodyParser } from '../api/readBody.ts';
import { MINUTE } from '../kit/clock.ts';
import type { CallbackProvider } from '../providers/provider.ts';
import { postmarkRoute, resendRoute, sesRoute } from './emailRoutes.ts';
import { metaRoutes, twilioRoute } from './paidRoutes.ts';
import type { Callback, CallbackDeps } from './request.ts';

/** The log mentions refused callbacks at most this often, because anyone can send them. */
const REFUSALS_LOGGED_EVERY_MS = MINUTE;

/** One route per configured provider. Bodies stay bytes, because signatures cover the bytes. */
export function callbackRoutes(deps: CallbackDeps) {
  return (app: FastifyInstance): void => {
    app.register(async (scope) => {
      scope.removeAllContentTypeParsers();
      scope.addContentTypeParser(
        '*',
        bodyParser((body) => body),
      );
      const { email, sms, whatsapp } = deps.settings;
      const callback = { ...deps, accept: acceptContent(deps), refuse: refuser(deps) };
      const twilio = [sms, whatsapp].flatMap((one) => (one.provider === 'twilio' ? [one.account] : []));
      if (twilio[0]) twilioRoute(scope, callback, twilio[0]);
      if (whatsapp.provider === 'meta') metaRoutes(scope, callback, whatsapp);
      if (email.provider === 'ses' && email.topics.length > 0) sesRoute(scope, callback, email);
      if (email.provider === 'postmark' && email.webhook) postmarkRoute(scope, callback, email.webhook);
      if (email.provider === 'resend' && email.webhookSecret)
        resendRoute(scope, callback, email.webhookSecret);
    });
  };
}

const acceptContent =
  ({ handle, observe, log }: CallbackDeps): Callback['accept'] =>
  async ({ span }, provider, content) => {
    const tally = await handle(provider, content, span);
    for (const [outcome, count] of Object.entries(tally)) if (count > 0) observe(provider, outcome, count);
    if (tally.unknown > 0) log.info({ provider, reports: tally.unknown }, 'callback for unknown sends');
  };

function refuser({ observe, wallClock, log }: CallbackDeps): Callback['refuse'] {
  const loggedAt = new Map<CallbackProvider, number>();
  return (provider, reply, status = 403) => {
    observe(provider, 'refused', 1);
    const now = wallClock.now().getTime();
    if (now - (loggedAt.get(provider) ?? 0) > REFUSALS_LOGGED_EVERY_MS) {
      loggedAt.set(provider, now);
      log.warn({ provider }, 'callback refused: wrong signature or password');
    }
    return reply.code(status).type('text/plain; charset=utf-8').send('This is not signed as it should be.\n');
  };
}
