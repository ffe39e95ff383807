import { expect, test } from 'vitest';
import { ConfigurationError, readConfig } from './config.ts';

const traces = (env: Record<string, string>) => readConfig(env).traces;
const ON = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318' };

test('traces are off unless an endpoint is set, whatever else is', () => {
  expect(traces({})).toBeNull();
  expect(traces({ OTEL_EXPORTER_OTLP_ENDPOINT: ' ' })).toBeNull();
  expect(traces({ OTEL_TRACES_SAMPLER: 'sometimes', OTEL_TRACES_SAMPLER_ARG: 'x' })).toBeNull();
});

test.each([
  ['http://collector:4318', 'http://collector:4318'],
  ['https://otlp.example/base/', 'https://otlp.example/base'],
])('the endpoint %s is taken as %s', (OTEL_EXPORTER_OTLP_ENDPOINT, endpoint) => {
  expect(traces({ OTEL_EXPORTER_OTLP_ENDPOINT })).toEqual({
    endpoint,
    sampler: 'parentbased_always_on',
    ratio: 1,
  });
});

test.each([
  ['0', 0],
  ['0.25', 0.25],
  ['.5', 0.5],
  ['1.0', 1],
])('a sampler keeps a part: %s', (OTEL_TRACES_SAMPLER_ARG, ratio) => {
  const sampler = 'parentbased_traceidratio';
  expect(traces({ ...ON, OTEL_TRACES_SAMPLER: sampler, OTEL_TRACES_SAMPLER_ARG })).toMatchObject({
    sampler,
    ratio,
  });
});

const NO_ADDRESS = 'OTEL_EXPORTER_OTLP_ENDPOINT must be an http or https address without a query.';
const NO_RATIO = (value: string): string =>
  `OTEL_TRACES_SAMPLER_ARG must be a number from 0 to 1, but is "${value}".`;

test.each([
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4318' }, NO_ADDRESS],
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'grpc://collector:4317' }, NO_ADDRESS],
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'https://collector/?token=secret' }, NO_ADDRESS],
  [{ ...ON, OTEL_TRACES_SAMPLER_ARG: '1.5' }, NO_RATIO('1.5')],
  [{ ...ON, OTEL_TRACES_SAMPLER_ARG: '-1' }, NO_RATIO('-1')],
  [{ ...ON, OTEL_TRACES_SAMPLER_ARG: 'half' }, NO_RATIO('half')],
  [
    { ...ON, OTEL_TRACES_SAMPLER: 'sometimes' },
    'OTEL_TRACES_SAMPLER must be one of always_on, always_off, traceidratio, parentbased_always_on, parentbased_always_off, parentbased_traceidratio, but is "sometimes".',
  ],
])('what makes no sense is one sentence: %j', (env, sentence) => {
  expect(() => traces(env)).toThrow(new ConfigurationError([sentence]));
});
