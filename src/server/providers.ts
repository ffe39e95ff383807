import { type Channel, channels } from '../businesses/channels.ts';
import type { EmailSettings, SmsSettings, WhatsappSettings } from '../config/providers.ts';
import { systemClock } from '../kit/clock.ts';
import { postmarkEmail } from '../providers/email/postmark.ts';
import { resendEmail } from '../providers/email/resend.ts';
import { sesEmail } from '../providers/email/ses.ts';
import { smtpEmail } from '../providers/email/smtp.ts';
import { guarded } from '../providers/guarded.ts';
import {
  type AnyOutbound,
  CALLBACK_PATHS,
  type OutboundEmail,
  type OutboundText,
  type OutboundWhatsapp,
  type Provider,
  type Providers,
} from '../providers/provider.ts';
import { twilioSms } from '../providers/sms/twilioSms.ts';
import { metaWhatsapp } from '../providers/whatsapp/metaWhatsapp.ts';
import { twilioWhatsapp } from '../providers/whatsapp/twilioWhatsapp.ts';
import type { Foundation } from './foundation.ts';

/** Who carries nudges out of this process. */
export interface ProviderSet {
  providers: Providers;
  /** Lets go of kept connections. */
  close(): void;
}

/** The chosen providers, each counted, with its pace and its pauses; the sandbox's where none is chosen. */
export function openProviders(foundation: Foundation, sandbox: Providers): ProviderSet {
  const { config, metrics } = foundation;
  const { email, sms, whatsapp } = config.providerSettings;
  const closers: (() => void)[] = [];
  const withGuard = <Message extends AnyOutbound>(
    channel: Channel,
    perSecond: number,
    provider: Provider<Message>,
  ): Provider<Message> => guarded(channel, counted(channel, provider, metrics), { ...foundation, perSecond });

  const providers: Providers = {
    email:
      email.provider === 'sandbox'
        ? counted('email', sandbox.email, metrics)
        : withGuard('email', email.perSecond, emailCarrier(email, foundation, closers)),
    sms:
      sms.provider === 'sandbox'
        ? counted('sms', sandbox.sms, metrics)
        : withGuard('sms', sms.perSecond, smsCarrier(sms, foundation)),
    whatsapp:
      whatsapp.provider === 'sandbox'
        ? counted('whatsapp', sandbox.whatsapp, metrics)
        : withGuard('whatsapp', whatsapp.perSecond, whatsappCarrier(whatsapp, foundation)),
  };
  metrics.gaugeBy('waypost_channel_paused', 'Whether a channel waits for the operator.', 'channel', () =>
    Object.fromEntries(channels.map((channel) => [channel, providers[channel].isPaused?.() ? 1 : 0])),
  );
  return {
    providers,
    close: () => {
      for (const close of closers) close();
    },
  };
}

/** Inside the guard: what the guard holds back is no call. */
function counted<Message extends AnyOutbound>(
  channel: Channel,
  provider: Provider<Message>,
  { observeSend }: Pick<Foundation['metrics'], 'observeSend'>,
): Provider<Message> {
  return {
    ...provider,
    async send(message, signal) {
      const answer = await provider.send(message, signal);
      observeSend(channel, answer.outcome);
      return answer;
    },
  };
}

type Chosen<Settings> = Exclude<Settings, { provider: 'sandbox' }>;

function emailCarrier(
  settings: Chosen<EmailSettings>,
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

const smsCarrier = (settings: Chosen<SmsSettings>, foundation: Foundation): Provider<OutboundText> =>
  twilioSms(settings, { client: foundation.http, callbackUrl: twilioCallback(foundation) });

function whatsappCarrier(
  settings: Chosen<WhatsappSettings>,
  foundation: Foundation,
): Provider<OutboundWhatsapp> {
  const { http: client, clock } = foundation;
  return settings.provider === 'meta'
    ? metaWhatsapp(settings, { client })
    : twilioWhatsapp(settings, { client, clock, callbackUrl: twilioCallback(foundation) });
}

const twilioCallback = ({ publicUrl }: Foundation): string => publicUrl + CALLBACK_PATHS.twilio;
