import type { Variables } from './variable.ts';

/** The OpenTelemetry SDK reads the last four itself, and takes all of their standard forms. */
export const TRACE_VARIABLES = {
  OTEL_EXPORTER_OTLP_ENDPOINT: {
    kind: 'text',
    unset: 'no traces',
    about: 'base address of an OTLP receiver over HTTP (JSON); `/v1/traces` is added',
  },
  OTEL_TRACES_SAMPLER: {
    kind: 'choice',
    options: [
      'always_on',
      'always_off',
      'traceidratio',
      'parentbased_always_on',
      'parentbased_always_off',
      'parentbased_traceidratio',
    ],
    default: 'parentbased_always_on',
    about: 'which traces are kept',
  },
  OTEL_TRACES_SAMPLER_ARG: {
    kind: 'text',
    default: '1',
    about: 'for the samplers that keep a part: how many of the traces, from 0 to 1',
  },
  OTEL_EXPORTER_OTLP_HEADERS: {
    kind: 'text',
    unset: 'none',
    about: '`name=value` pairs, such as a token of the receiver',
  },
  OTEL_EXPORTER_OTLP_TIMEOUT: {
    kind: 'text',
    unset: '`10000`',
    about: 'milliseconds that the receiver has to answer',
  },
  OTEL_SERVICE_NAME: { kind: 'text', unset: '`waypost`', about: 'name of the service in the traces' },
  OTEL_RESOURCE_ATTRIBUTES: {
    kind: 'text',
    unset: 'none',
    about: '`name=value` pairs that every span carries',
  },
} as const satisfies Variables;
