import { OperatorError } from '../kit/errors.ts';
import { trimEndChars } from '../kit/trimEndChars.ts';
import { type Environment, readOneOf, readVariable } from './reading.ts';

/** Where traces go, and which of them. The SDK itself reads the other standard variables (docs/operations.md). */
export interface TraceSettings {
  /** The base address of an OTLP receiver. */
  endpoint: string;
  sampler: TraceSampler;
  /** For the samplers that keep a part: how many of the traces, from 0 to 1. */
  ratio: number;
}

export type TraceSampler = (typeof SAMPLERS)[number];

const SAMPLERS = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const;

/** Null: traces are off. */
export function readTraceSettings(env: Environment): TraceSettings | null {
  const endpoint = traceEndpoint(env);
  if (endpoint === null) return null;
  return {
    endpoint,
    sampler: readOneOf(env, 'OTEL_TRACES_SAMPLER', SAMPLERS, 'parentbased_always_on'),
    ratio: traceRatio(env),
  };
}

function traceEndpoint(env: Environment): string | null {
  const name = 'OTEL_EXPORTER_OTLP_ENDPOINT';
  const text = readVariable(env, name);
  if (text === null) return null;
  const url = URL.canParse(text) ? new URL(text) : null;
  // The message does not repeat the value, which can hold a password.
  if (url === null || !/^https?:$/.test(url.protocol) || url.search !== '' || url.hash !== '')
    throw new OperatorError(`${name} must be an http or https address without a query.`);
  return trimEndChars(url.href, '/');
}

function traceRatio(env: Environment): number {
  const text = readVariable(env, 'OTEL_TRACES_SAMPLER_ARG') ?? '1';
  const value = Number(text);
  if (!/^(\d+(\.\d+)?|\.\d+)$/.test(text) || value > 1)
    throw new OperatorError(`OTEL_TRACES_SAMPLER_ARG must be a number from 0 to 1, but is "${text}".`);
  return value;
}
