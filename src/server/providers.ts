import type { EmailSettings, SmsSettings, WhatsappSettings } from '../config/providers.ts';
import { type Channel, channels } from '../contract/channels.ts';
import { monotonicMs, systemClock } from '../kit/clock.ts';
import { failureWord, type TraceSpan, type Tracing } from '../kit/tracing.ts';
import { guarded } from '../providers/guarded.ts';
import { metaWhatsapp } from '../providers/meta/send.ts';
import { postmarkEmail } from '../providers/postmark/send.ts';
import {
  type AnyOutbound,
  CALLBACK_PATHS,
  type OutboundEmail,
  type OutboundText,
  type OutboundWhatsapp,
  type Provider,
  type ProviderResponse,
  type Providers,
} from '../providers/provider.ts';
import { resendEmail } from '../providers/resend/send.ts';
import { sesEmail } from '../providers/ses/send.ts';
import { smtpEmail } from '../providers/smtp/send.ts';
import { twilioSms, twilioWhatsapp } from '../providers/twilio/send.ts';
import type { Foundation } from './foundation.ts';

/** The configured providers, each with metrics, a rate limit and pauses; the sandbox's where none is configured. */
export function openProviders(foundation: Foundation, sandbox: Providers) {
  const { config, metrics } = foundation;
  const { email, sms, whatsapp } = config.providerSettings;
  const guard = <Message extends AnyOutbound>(
    channel: Channel,
    perSecond: number,
    provider: Provider<Message>,
  ): Provider<Message> =>
    guarded(channel, counted(channel, provider, foundation), { ...foundation, perSecond });
  const real = email.provider === 'sandbox' ? null : openEmail(email, foundation);
  const providers: Providers = {
    email:
      email.provider === 'sandbox' || real === null
        ? counted('email', sandbox.email, foundation)
        : guard('email', email.perSecond, real.provider),
    sms:
      sms.provider === 'sandbox'
        ? counted('sms', sandbox.sms, foundation)
        : guard('sms', sms.perSecond, smsProvider(sms, foundation)),
    whatsapp:
      whatsapp.provider === 'sandbox'
        ? counted('whatsapp', sandbox.whatsapp, foundation)
        : guard('whatsapp', whatsapp.perSecond, whatsappProvider(whatsapp, foundation)),
  };
  metrics.gaugeBy(
    'waypost_channel_paused',
    'Whether a channel is paused until the operator fixes a fault.',
    'channel',
    () => Object.fromEntries(channels.map((channel) => [channel, providers[channel].isPaused?.() ? 1 : 0])),
  );
  return { providers, close: () => real?.close() };
}

/** The configured email provider for mails that no send stands for; null where the sandbox captures mail. */
export function openEmailAlone(foundation: Foundation): OpenEmail | null {
  const { email } = foundation.config.providerSettings;
  if (email.provider === 'sandbox') return null;
  const { provider, close } = openEmail(email, foundation);
  return { provider: counted('email', provider, foundation), close };
}

/** Counts and traces the calls. Inside the guard, so that sends that the guard delays do not count as calls. */
function counted<Message extends AnyOutbound>(
  channel: Channel,
  provider: Provider<Message>,
  { metrics, tracing }: Pick<Foundation, 'metrics' | 'tracing'>,
): Provider<Message> {
  return {
    ...provider,
    async send(message, signal, attempt) {
      const span = tracing ? callSpan(tracing, provider.name, message, attempt) : null;
      const startedAt = monotonicMs();
      try {
        const answer = await provider.send(message, signal);
        const { outcome } = answer;
        metrics.observeSend(channel, outcome);
        const labels: [string, string, string] = [provider.name, channel, outcome];
        metrics.observeProviderCall(labels, monotonicMs() - startedAt, span?.traceId);
        if (span) endCallSpan(span, answer);
        return answer;
      } catch (error) {
        span?.end({}, failureWord(error));
        throw error;
      }
    },
  };
}

/** A call to a provider. It names no address, and no server: the provider's name says it. */
const callSpan = (
  tracing: Tracing,
  provider: string,
  { channel, businessId, messageId, sendId, attempt }: AnyOutbound,
  parent: TraceSpan | null | undefined,
): TraceSpan =>
  tracing.start(`call ${provider}`, {
    kind: 'client',
    parent: parent?.context,
    attributes: {
      'messaging.system': provider,
      'messaging.operation.type': 'send',
      'messaging.destination.name': channel,
      'waypost.business_id': businessId,
      'waypost.message_id': messageId,
      'waypost.send_id': sendId,
      'waypost.attempt': attempt,
    },
  });

/** The provider's own error code can quote what it was sent, so the outcome has to do. */
const endCallSpan = (span: TraceSpan, answer: ProviderResponse): void => {
  const { outcome } = answer;
  const because = outcome === 'refused' ? answer.because : null;
  span.end(
    { 'waypost.outcome': outcome, 'waypost.refusal': because },
    outcome === 'accepted' ? null : (because ?? outcome),
  );
};

type RealProvider<Settings> = Exclude<Settings, { provider: 'sandbox' }>;

interface OpenEmail {
  provider: Provider<OutboundEmail>;
  /** Closes kept-alive connections. */
  close(): void;
}

function openEmail(settings: RealProvider<EmailSettings>, { http: client }: Foundation): OpenEmail {
  const close = (): void => {};
  switch (settings.provider) {
    case 'smtp': {
      const smtp = smtpEmail(settings, { wallClock: systemClock });
      return { provider: smtp, close: smtp.close };
    }
    case 'ses':
      return { provider: sesEmail(settings, { client, wallClock: systemClock }), close };
    case 'postmark':
      return { provider: postmarkEmail(settings, { client }), close };
    case 'resend':
      return { provider: resendEmail(settings, { client }), close };
  }
}

const smsProvider = (settings: RealProvider<SmsSettings>, foundation: Foundation): Provider<OutboundText> =>
  twilioSms(settings, { client: foundation.http, callbackUrl: twilioCallback(foundation) });

function whatsappProvider(
  settings: RealProvider<WhatsappSettings>,
  foundation: Foundation,
): Provider<OutboundWhatsapp> {
  const { http: client, clock } = foundation;
  return settings.provider === 'meta'
    ? metaWhatsapp(settings, { client })
    : twilioWhatsapp(settings, { client, clock, callbackUrl: twilioCallback(foundation) });
}

const twilioCallback = ({ publicUrl }: Foundation): string => publicUrl + CALLBACK_PATHS.twilio;
