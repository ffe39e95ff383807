import { type Channel, channels } from '../contract/channels.ts';
import type { Config } from '../environment/config.ts';
import type { ChannelsReport, ProviderReport } from '../pages/operator/providers/reads.ts';
import type { Foundation } from './foundation.ts';
import { startWarnings } from './readiness.ts';

/**
 * What the operator's page says of the providers. It is read from the metrics: they speak for all processes under one supervisor,
 * while only a worker knows its own circuits and faults.
 */
export const createChannelsReport =
  ({ config, publicUrl, metrics, siblings }: Foundation) =>
  async (): Promise<ChannelsReport> => {
    const samples = samplesIn(await (siblings ? siblings.metricsText() : metrics.text()));
    const named = (name: string) => samples.filter((sample) => sample.name === name);
    const paused = named('waypost_channel_paused');
    const calls = named('waypost_sends_total');
    const faults = named('waypost_channel_fault').filter(({ value }) => value > 0);
    return {
      channels: channels.map((channel) => ({
        channel,
        providers: providersOf(config, channel, named('waypost_provider_share')),
        isPaused: paused.some(({ labels, value }) => labels.channel === channel && value > 0),
        calls: calls
          .filter(({ labels }) => labels.channel === channel)
          .map(({ labels, value }) => ({ outcome: labels.outcome ?? '', count: value }))
          .sort((one, other) => other.count - one.count),
      })),
      sentences: [
        ...new Set([
          ...startWarnings(config, publicUrl),
          ...faults.map(({ labels }) => labels.sentence ?? ''),
        ]),
      ],
      knowsWorkers: paused.length > 0,
    };
  };

function providersOf(
  { providers, providerSettings }: Config,
  channel: Channel,
  shares: readonly MetricSample[],
): ProviderReport[] {
  const settings: readonly { provider: string; perSecond: number }[] = providerSettings[channel];
  return providers[channel].map((name) => ({
    name,
    perSecond: settings.find(({ provider }) => provider === name)?.perSecond ?? null,
    share: shares.find(({ labels }) => labels.channel === channel && labels.provider === name)?.value ?? null,
  }));
}

interface MetricSample {
  name: string;
  labels: Record<string, string>;
  value: number;
}

const SAMPLE = /^(\w+)\{(.*)\} (\S+)$/gm;
const LABEL = /\b(\w+)="((?:[^"\\]|\\.)*)"/g;

/** The samples with labels in the text of `/metrics`. */
export const samplesIn = (text: string): MetricSample[] =>
  [...text.matchAll(SAMPLE)].map(([, name = '', labels = '', value]) => ({
    name,
    labels: Object.fromEntries(
      [...labels.matchAll(LABEL)].map(([, label = '', written = '']) => [label, unescaped(written)]),
    ),
    value: Number(value),
  }));

const unescaped = (text: string): string =>
  text.replace(/\\(.)/g, (_, character: string) => (character === 'n' ? '\n' : character));
