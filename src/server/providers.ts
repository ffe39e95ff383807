import type { EmailSettings, SmsSettings, WhatsappSettings } from '../config/providers.ts';
import { type Channel, channels } from '../contract/channels.ts';
import { monotonicMs, systemClock } from '../kit/clock.ts';
import { failureWord } from '../kit/tracing.ts';
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
  type Providers,
} from '../providers/provider.ts';
import { resendEmail } from '../providers/resend/send.ts';
import { sesEmail } from '../providers/ses/send.ts';
import { smtpEmail } from '../providers/smtp/send.ts';
import { twilioSms } from '../providers/twilio/sendSms.ts';
import { twilioWhatsapp } from '../providers/twilio/sendWhatsapp.ts';
import type { Foundation } from './foundation.ts';
import { callSpan, endCallSpan } from './providerSpan.ts';

interface ProviderSet {
  providers: Providers;
  /** Closes kept-alive connections. */
  close(): void;
}

/** The configured providers, each with metrics, a rate limit and pauses; the sandbox's where none is configured. */
export function openProviders(foundation: Foundation, sandbox: Providers): ProviderSet {
  const { config, metrics } = foundation;
  const { email, sms, whatsapp } = config.providerSettings;
  const closers: (() => void)[] = [];
  const withGuard = <Message extends AnyOutbound>(
    channel: Channel,
    perSecond: number,
    provider: Provider<Message>,
  ): Provider<Message> =>
    guarded(channel, counted(channel, provider, foundation), { ...foundation, perSecond });

  const providers: Providers = {
    email:
      email.provider === 'sandbox'
        ? counted('email', sandbox.email, foundation)
        : withGuard('email', email.perSecond, emailProvider(email, foundation, closers)),
    sms:
      sms.provider === 'sandbox'
        ? counted('sms', sandbox.sms, foundation)
        : withGuard('sms', sms.perSecond, smsProvider(sms, foundation)),
    whatsapp:
      whatsapp.provider === 'sandbox'
        ? counted('whatsapp', sandbox.whatsapp, foundation)
        : withGuard('whatsapp', whatsapp.perSecond, whatsappProvider(whatsapp, foundation)),
  };
  metrics.gaugeBy(
    'waypost_channel_paused',
    'Whether a channel is paused until the operator fixes a fault.',
    'channel',
    () => Object.fromEntries(channels.map((channel) => [channel, providers[channel].isPaused?.() ? 1 : 0])),
  );
  return {
    providers,
    close: () => {
      for (const close of closers) close();
    },
  };
}

/** The configured email provider for mails that no send stands for; null where the sandbox captures mail. */
export function openEmailAlone(
  foundation: Foundation,
): { provider: Provider<OutboundEmail>; close(): void } | null {
  const { email } = foundation.config.providerSettings;
  if (email.provider === 'sandbox') return null;
  const closers: (() => void)[] = [];
  const provider = counted('email', emailProvider(email, foundation, closers), foundation);
  return {
    provider,
    close: () => {
      for (const close of closers) close();
    },
  };
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
        metrics.observeProviderCall(
          { provider: provider.name, channel, outcome },
          monotonicMs() - startedAt,
          span?.traceId,
        );
        if (span) endCallSpan(span, answer);
        return answer;
      } catch (error) {
        span?.end({}, failureWord(error));
        throw error;
      }
    },
  };
}

type RealProvider<Settings> = Exclude<Settings, { provider: 'sandbox' }>;

function emailProvider(
  settings: RealProvider<EmailSettings>,
  { http: client }: Foundation,
  closers: (() => void)[],
): Provider<OutboundEmail> {
  switch (settings.provider) {
    case 'smtp': {
      const smtp = smtpEmail(settings, { wallClock: systemClock });
      closers.push(smtp.close);
      return smtp;
    }
    case 'ses':
      return sesEmail(settings, { client, wallClock: systemClock });
    case 'postmark':
      return postmarkEmail(settings, { client });
    case 'resend':
      return resendEmail(settings, { client });
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
