import { trimEndChars } from '../kit/trimEndChars.ts';
import { baseUrl, type Reading } from './reading.ts';
import type { OptionOf } from './variables.ts';

/** Where traces go, and which of them. The SDK itself reads the other standard variables (docs/operations.md). */
export interface TraceSettings {
  /** The base address of an OTLP receiver. */
  endpoint: string;
  sampler: TraceSampler;
  /** For the samplers that keep a part: how many of the traces, from 0 to 1. */
  ratio: number;
}

export type TraceSampler = OptionOf<'OTEL_TRACES_SAMPLER'>;

/** Null: traces are off. */
export function readTraceSettings(reading: Reading): TraceSettings | null {
  const endpoint = traceEndpoint(reading);
  if (endpoint === null) return null;
  return {
    endpoint,
    sampler: reading.choice('OTEL_TRACES_SAMPLER'),
    ratio: traceRatio(reading),
  };
}

function traceEndpoint(reading: Reading): string | null {
  const text = reading.variable('OTEL_EXPORTER_OTLP_ENDPOINT');
  if (text === null) return null;
  const url = baseUrl(text);
  if (url !== null) return trimEndChars(url.href, '/');
  // The message does not repeat the value, which can hold a password.
  reading.mistake('OTEL_EXPORTER_OTLP_ENDPOINT must be an http or https address without a query.');
  return null;
}

function traceRatio(reading: Reading): number {
  const text = reading.text('OTEL_TRACES_SAMPLER_ARG');
  const value = Number(text);
  if (!/^(\d+(\.\d+)?|\.\d+)$/.test(text) || value > 1)
    reading.mistake(`OTEL_TRACES_SAMPLER_ARG must be a number from 0 to 1, but is "${text}".`);
  return value;
}
