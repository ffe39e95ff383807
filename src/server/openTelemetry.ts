import {
  type Attributes,
  ROOT_CONTEXT,
  type Span,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  trace,
} from '@opentelemetry/api';
import { ExportResultCode, parseTraceParent } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import { BasicTracerProvider, BatchSpanProcessor, type SpanExporter } from '@opentelemetry/sdk-trace-base';
import type { TraceSettings } from '../environment/config.ts';
import { SECOND } from '../kit/clock.ts';
import type { Log } from '../kit/log.ts';
import type { SpanAttributes, SpanOptions, TraceContext, TraceSpan, Tracing } from '../kit/tracing.ts';
import { samplerFor } from './traceSampler.ts';

/*
 * The only file that knows the SDK, with traceSampler.ts. It is loaded only where traces are on. Nothing is registered globally, and
 * there is no context manager: a span is passed as an argument to what belongs to it.
 */

/** Spans that are not sent by then are lost: a process that stops has no more time. */
const LAST_EXPORT_WITHIN_MS = 1 * SECOND;

const KINDS: Record<NonNullable<SpanOptions['kind']>, SpanKind> = {
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  consumer: SpanKind.CONSUMER,
};

/** Sends spans in batches from a bounded queue: an unreachable collector costs spans, and nothing else. */
export function startOpenTelemetry(settings: TraceSettings, process: string, log: Log): Tracing {
  const exports = noteExports(log);
  const exporter = new OTLPTraceExporter({ url: `${settings.endpoint}/v1/traces` });
  const provider = new BasicTracerProvider({
    sampler: samplerFor(settings),
    resource: resourceFromAttributes({ 'service.name': 'waypost', 'waypost.process': process }).merge(
      detectResources({ detectors: [envDetector] }),
    ),
    spanProcessors: [new BatchSpanProcessor(noted(exporter, exports))],
  });
  const tracer = provider.getTracer('waypost');
  return {
    start(name, { kind, parent, links = [], attributes = {}, startedAt } = {}) {
      const above = contextOf(parent);
      const span = tracer.startSpan(
        name,
        {
          kind: kind === undefined ? SpanKind.INTERNAL : KINDS[kind],
          links: links.flatMap((one) => contextOf(one) ?? []).map((context) => ({ context })),
          attributes: present(attributes),
          ...(startedAt && { startTime: startedAt }),
        },
        above === null ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, above),
      );
      return ourSpan(span);
    },
    async stop() {
      let timer: NodeJS.Timeout | undefined;
      const late = new Promise<void>((resolve) => {
        timer = setTimeout(() => {
          exports.failed(new Error('the process stopped meanwhile'));
          resolve();
        }, LAST_EXPORT_WITHIN_MS);
      });
      await Promise.race([provider.shutdown().catch(() => {}), late]);
      clearTimeout(timer);
    },
  };
}

function ourSpan(span: Span): TraceSpan {
  const { traceId, spanId, traceFlags } = span.spanContext();
  const isSampled = (traceFlags & TraceFlags.SAMPLED) !== 0;
  return {
    context: `00-${traceId}-${spanId}-${isSampled ? '01' : '00'}`,
    traceId: isSampled ? traceId : null,
    link(to) {
      const context = contextOf(to);
      if (context !== null) span.addLink({ context });
    },
    end(attributes = {}, failure = null) {
      span.setAttributes(present(attributes));
      if (failure !== null) {
        span.setAttribute('error.type', failure);
        span.setStatus({ code: SpanStatusCode.ERROR });
      }
      span.end();
    },
  };
}

function contextOf(text: TraceContext | null | undefined): SpanContext | null {
  const context = text == null ? null : parseTraceParent(text);
  return context === null ? null : { ...context, isRemote: true };
}

const present = (attributes: SpanAttributes): Attributes =>
  Object.fromEntries(
    Object.entries(attributes).flatMap(([name, value]) => (value == null ? [] : [[name, value]])),
  );

/** Logs the first failed export, and the first that works again. */
function noteExports(log: Log) {
  let isFailing = false;
  return {
    failed(error: unknown): void {
      if (!isFailing) log.warn({ error }, 'traces not exported');
      isFailing = true;
    },
    worked(): void {
      if (isFailing) log.info({}, 'traces exported again');
      isFailing = false;
    },
  };
}

function noted(exporter: OTLPTraceExporter, exports: ReturnType<typeof noteExports>): SpanExporter {
  return {
    export(spans, done) {
      exporter.export(spans, (result) => {
        if (result.code === ExportResultCode.SUCCESS) exports.worked();
        else exports.failed(result.error);
        done(result);
      });
    },
    forceFlush: () => exporter.forceFlush(),
    shutdown: () => exporter.shutdown(),
  };
}
