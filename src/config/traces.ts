import { trimEndChars } from '../kit/trimEndChars.ts';
import { baseUrl, type Reading } from './reading.ts';

export type TraceSettings = NonNullable<ReturnType<typeof readTraceSettings>>;

/** Where traces go, and which of them; null: traces are off. The SDK itself reads the other standard variables (docs/operations.md). */
export function readTraceSettings(reading: Reading) {
  const endpoint = traceEndpoint(reading);
  if (endpoint === null) return null;
  return {
    endpoint,
    sampler: reading.choice('OTEL_TRACES_SAMPLER'),
    /** For the samplers that keep a part: how many of the traces, from 0 to 1. */
    ratio: traceRatio(reading),
  };
}

/** The base address of an OTLP receiver. */
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
