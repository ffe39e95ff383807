import { type Channel, channels } from '../contract/channels.ts';
import { routeTo } from '../environment/smsRoutes.ts';
import { type Clock, monotonicMs, systemClock } from '../kit/clock.ts';
import { parsePhone } from '../kit/phoneNumber.ts';
import { failureWord, type TraceSpan, type Tracing } from '../kit/tracing.ts';
import { guarded } from '../providers/guarded.ts';
import { inOrder, type Route } from '../providers/inOrder.ts';
import type { OpenProvider, ProviderDeps } from '../providers/kind.ts';
import { type Configured, emailProvider, smsProvider, whatsappProvider } from '../providers/kinds.ts';
import type {
  AnyOutbound,
  OutboundEmail,
  Provider,
  ProviderResponse,
  Providers,
} from '../providers/provider.ts';
import { Traffic } from '../providers/traffic.ts';
import type { Foundation } from './foundation.ts';

/** The configured providers, each with metrics, a rate limit and pauses; the sandbox's where none is configured. */
export function openProviders(foundation: Foundation, sandbox: Providers) {
  const { config, clock, metrics } = foundation;
  const { email, sms, whatsapp } = config.providerSettings;
  const opened: Pick<OpenProvider<never>, 'close'>[] = [];
  const divided: DividedTraffic[] = [];
  const providersOf = <Message extends AnyOutbound>(
    channel: Channel,
    configured: readonly Configured<Message>[],
    sandboxed: Provider<Message>,
    routeOf?: (message: AnyOutbound) => Route | null,
  ): Provider<Message> => {
    if (configured.length === 0) return counted(channel, sandboxed, foundation);
    const providers = configured.map((one) => {
      const provider = one.open(depsOf(foundation));
      opened.push(provider);
      const { perSecond } = one;
      return guarded(channel, counted(channel, provider, foundation), { ...foundation, perSecond });
    });
    const names = providers.map(({ name }) => name);
    const traffic = new Traffic(names, { clock, random: Math.random });
    if (providers.length > 1) divided.push({ channel, traffic });
    return inOrder(providers, { traffic, ...(routeOf && { routeOf }) });
  };
  const toCountry = ({ to }: AnyOutbound): Route | null =>
    config.smsRoutes.size === 0 ? null : routeTo(config.smsRoutes, parsePhone(to)?.country ?? null);
  const providers: Providers = {
    email: providersOf('email', email.map(emailProvider), sandbox.email),
    sms: providersOf('sms', sms.map(smsProvider), sandbox.sms, toCountry),
    whatsapp: providersOf('whatsapp', whatsapp.map(whatsappProvider), sandbox.whatsapp),
  };
  metrics.gaugeBy(
    'waypost_channel_paused',
    'Whether a channel is paused until the operator fixes a fault.',
    'channel',
    () => Object.fromEntries(channels.map((channel) => [channel, providers[channel].isPaused?.() ? 1 : 0])),
  );
  metrics.gaugeByAll(
    'waypost_provider_share',
    'How many of a hundred messages of a channel with several providers each is asked first for.',
    ['channel', 'provider'],
    () =>
      divided.flatMap(({ channel, traffic }) =>
        Object.entries(traffic.shares()).map(([name, points]) => [[channel, name], points] as const),
      ),
  );
  return { providers, divided, close: () => closeAll(opened) };
}

export interface DividedTraffic {
  channel: Channel;
  traffic: Traffic;
}

/** The configured providers of email for mails that no send stands for; null where the sandbox captures mail. */
export function openEmailAlone(foundation: EmailDeps): OpenEmail | null {
  const opened = foundation.config.providerSettings.email.map((settings) =>
    emailProvider(settings).open(depsOf(foundation)),
  );
  if (opened.length === 0) return null;
  const providers = opened.map((one) => counted('email', one, foundation));
  const traffic = new Traffic(
    providers.map(({ name }) => name),
    { clock: foundation.clock, random: Math.random },
  );
  const provider = inOrder(providers, { traffic });
  return { provider, close: () => closeAll(opened) };
}

interface OpenEmail {
  provider: Provider<OutboundEmail>;
  /** Closes kept-alive connections. */
  close(): void;
}

type CallDeps = { clock: Clock } & Pick<Foundation, 'http' | 'publicUrl' | 'secretKeys'>;
export type EmailDeps = CallDeps & Pick<Foundation, 'config' | 'metrics' | 'tracing'>;

const depsOf = ({ http: client, clock, publicUrl, secretKeys }: CallDeps): ProviderDeps => ({
  client,
  clock,
  wallClock: systemClock,
  publicUrl,
  secretKeys,
});

const closeAll = (opened: readonly Pick<OpenProvider<never>, 'close'>[]): void => {
  for (const one of opened) one.close?.();
};

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
