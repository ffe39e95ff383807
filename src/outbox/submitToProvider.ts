import { logoUrlFor } from '../businesses/logo/logo.ts';
import { domainKeyContext } from '../businesses/senders.ts';
import type { Clock } from '../kit/clock.ts';
import { domainOf } from '../kit/emailAddress.ts';
import type { Log } from '../kit/log.ts';
import type { Sealer } from '../kit/seal.ts';
import { type TraceSpan, traceFields } from '../kit/tracing.ts';
import { compose } from '../nudges/compose.ts';
import type { AnyOutbound, DkimSigner, ProviderResponse, Providers } from '../providers/provider.ts';
import { isRetried } from './afterResponse.ts';
import type { OwnSender } from './facts.ts';
import type { Permitted } from './permit.ts';
import type { EndedAttempt } from './record.ts';
import { referenceOf } from './send.ts';

export interface ProviderCallDeps {
  clock: Clock;
  log: Log;
  /** Opens the keys of shops' own domains. */
  sealer: Sealer;
  providers: Providers;
  publicUrl: string;
  /** The domain in the Message-IDs of the shared sender's mail. */
  sharedDomain: string;
  unsubscribeLink: (businessId: string, recipientId: string, email: string) => string;
  replyLink: (businessId: string, replyId: string) => string;
}

/**
 * Calls the provider once, with no transaction open. It always resolves; a call that was too late to start has an outcome, too.
 * `abort` ends the call early; the provider then reports whether it may have accepted the message.
 */
export async function submitToProvider(
  deps: ProviderCallDeps,
  permitted: Permitted,
  abort: AbortController,
  span: TraceSpan | null,
): Promise<EndedAttempt> {
  const { send, templateLanguage } = permitted;
  const startedAt = deps.clock.now();
  const answer = await attempt(deps, permitted, startedAt, abort, span);
  const endedAt = deps.clock.now();
  const provider = answer.calls?.at(-1)?.provider ?? deps.providers[send.channel].name;
  deps.log.info(
    {
      business_id: send.business_id,
      send_id: send.id,
      channel: send.channel,
      provider,
      passed_over: answer.calls?.slice(0, -1).map((call) => call.provider),
      attempt: send.attempts,
      outcome: answer.outcome,
      error_code: answer.outcome === 'accepted' ? undefined : answer.errorCode,
      retry: isRetried(send, answer),
      ...traceFields(span),
    },
    'send attempted',
  );
  return { send, provider, templateLanguage, answer, startedAt, endedAt };
}

async function attempt(
  deps: ProviderCallDeps,
  permitted: Permitted,
  startedAt: Date,
  abort: AbortController,
  span: TraceSpan | null,
): Promise<ProviderResponse> {
  // The process paused since the permit, and another worker may have ended the send as unknown.
  if (startedAt > permitted.startBefore) return { outcome: 'not_taken', errorCode: 'too_late_to_begin' };
  let message: AnyOutbound;
  try {
    message = composeFor(deps, permitted, startedAt);
  } catch (error) {
    deps.log.error({ error, send_id: permitted.send.id }, 'nudge not composed');
    return { outcome: 'not_taken', errorCode: 'not_written' };
  }
  try {
    return await withTimeout(deps.providers, message, abort, span);
  } catch (error) {
    // An exception does not prove that the provider did not accept the message.
    deps.log.warn({ error, send_id: permitted.send.id }, 'provider call threw');
    return { outcome: 'unknown', errorCode: 'no_answer' };
  }
}

function composeFor(
  deps: ProviderCallDeps,
  { send, settings, sender, providerSenders, language, templateLanguage, linkToken, shipments }: Permitted,
  now: Date,
): AnyOutbound {
  return compose({
    reference: referenceOf(send),
    attempt: send.attempts,
    businessId: send.business_id,
    sendId: send.id,
    messageId: send.message_id,
    recipientId: send.recipient_id,
    channel: send.channel,
    purpose: send.purpose,
    email: send.email,
    phone: send.phone,
    subject: send.subject,
    body: send.body_start,
    orderReference: send.reference,
    orderStatus: send.order_status,
    parcels: { shipments, now },
    isUpdate:
      send.message_created_at !== null &&
      send.created_at > send.message_created_at &&
      send.purpose === 'nudge',
    reply: send.reply,
    replyLink: send.reply === null ? '' : deps.replyLink(send.business_id, send.about ?? ''),
    settings,
    language,
    templateLanguage,
    logoUrl: logoUrlFor(deps.publicUrl, settings),
    sender: sender?.address ?? null,
    providerSenders,
    dkim: dkimOf(deps.sealer, send.business_id, sender),
    link: linkToken === null ? '' : `${deps.publicUrl}/i/${linkToken}`,
    unsubscribeLink: deps.unsubscribeLink(send.business_id, send.recipient_id, send.email),
    sharedDomain: deps.sharedDomain,
  });
}

function dkimOf(sealer: Sealer, businessId: string, sender: OwnSender | null): DkimSigner | null {
  if (!sender?.key) return null;
  const { selector, sealedKey } = sender.key;
  const privateKey = sealer.open(Buffer.from(sealedKey, 'base64'), domainKeyContext(businessId));
  return { domain: domainOf(sender.address), selector, privateKey };
}

/** Ends at the provider's timeout even when the provider ignores the signal. */
async function withTimeout(
  providers: Providers,
  message: AnyOutbound,
  abort: AbortController,
  span: TraceSpan | null,
): Promise<ProviderResponse> {
  const { timeoutMs } = providers[message.channel];
  let timer: NodeJS.Timeout | undefined;
  const timedOut = new Promise<ProviderResponse>((resolve) => {
    timer = setTimeout(() => {
      abort.abort(new Error('timed out'));
      resolve({ outcome: 'unknown', errorCode: 'timeout' });
    }, timeoutMs);
  });
  try {
    return await Promise.race([callProvider(providers, message, abort.signal, span), timedOut]);
  } finally {
    clearTimeout(timer);
  }
}

function callProvider(
  providers: Providers,
  message: AnyOutbound,
  signal: AbortSignal,
  span: TraceSpan | null,
): Promise<ProviderResponse> {
  switch (message.channel) {
    case 'email':
      return providers.email.send(message, signal, span);
    case 'sms':
      return providers.sms.send(message, signal, span);
    case 'whatsapp':
      return providers.whatsapp.send(message, signal, span);
  }
}
