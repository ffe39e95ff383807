import type { Clock } from '../kit/clock.ts';
import type { Log } from '../kit/log.ts';
import { compose } from '../nudges/compose.ts';
import type { AnyOutbound, ProviderResponse, Providers } from '../providers/provider.ts';
import type { Permitted } from './permit.ts';
import { referenceOf } from './send.ts';

export interface ProviderCallDeps {
  clock: Clock;
  log: Log;
  providers: Providers;
  publicUrl: string;
  /** Whose Message-IDs those of the shared sender's mail are. */
  sharedDomain: string;
  unsubscribeLink: (businessId: string, recipientId: string, email: string) => string;
  replyLink: (businessId: string, replyId: string) => string;
}

/** A call to a provider, made or not, and how it ended. */
export interface ProviderCall {
  permitted: Permitted;
  answer: ProviderResponse;
  startedAt: Date;
  endedAt: Date;
}

/**
 * Calls the provider once for an attempt, with no transaction open. It always ends and never throws. `abort` ends it early; the
 * provider then says whether it can have taken the message.
 */
export async function submitToProvider(
  deps: ProviderCallDeps,
  permitted: Permitted,
  abort: AbortController,
): Promise<ProviderCall> {
  const startedAt = deps.clock.now();
  const answer = await attempt(deps, permitted, startedAt, abort);
  const { send } = permitted;
  deps.log.info(
    {
      business_id: send.business_id,
      send_id: send.id,
      channel: send.channel,
      attempt: send.attempts,
      outcome: answer.outcome,
    },
    'attempt',
  );
  return { permitted, answer, startedAt, endedAt: deps.clock.now() };
}

async function attempt(
  deps: ProviderCallDeps,
  permitted: Permitted,
  startedAt: Date,
  abort: AbortController,
): Promise<ProviderResponse> {
  // This process stood still since the permit, and the send may be counted as lost by now.
  if (startedAt > permitted.startBefore) return { outcome: 'not_taken', errorCode: 'too_late_to_begin' };
  let message: AnyOutbound;
  try {
    message = write(deps, permitted);
  } catch (error) {
    deps.log.error({ error, send_id: permitted.send.id }, 'a nudge could not be written');
    return { outcome: 'not_taken', errorCode: 'not_written' };
  }
  try {
    return await withTimeout(deps.providers, message, abort);
  } catch (error) {
    // A provider that throws has not said that nothing was taken.
    deps.log.warn({ error, send_id: permitted.send.id }, 'a provider failed without an answer');
    return { outcome: 'unknown', errorCode: 'no_answer' };
  }
}

function write(deps: ProviderCallDeps, { send, settings, sender, linkToken }: Permitted): AnyOutbound {
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
    orderReference: send.reference,
    orderStatus: send.order_status,
    isUpdate:
      send.message_created_at !== null &&
      send.created_at > send.message_created_at &&
      send.purpose === 'nudge',
    reply: send.reply,
    replyLink: send.reply === null ? '' : deps.replyLink(send.business_id, send.about ?? ''),
    settings,
    sender,
    link: linkToken === null ? '' : `${deps.publicUrl}/i/${linkToken}`,
    unsubscribeLink: deps.unsubscribeLink(send.business_id, send.recipient_id, send.email),
    sharedDomain: deps.sharedDomain,
  });
}

/** Ends at the provider's timeout even when the provider ignores the signal. */
async function withTimeout(
  providers: Providers,
  message: AnyOutbound,
  abort: AbortController,
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
    return await Promise.race([hand(providers, message, abort.signal), timedOut]);
  } finally {
    clearTimeout(timer);
  }
}

function hand(providers: Providers, message: AnyOutbound, signal: AbortSignal): Promise<ProviderResponse> {
  switch (message.channel) {
    case 'email':
      return providers.email.send(message, signal);
    case 'sms':
      return providers.sms.send(message, signal);
    case 'whatsapp':
      return providers.whatsapp.send(message, signal);
  }
}
