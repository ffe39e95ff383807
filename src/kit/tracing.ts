import { codeOf } from './errors.ts';

/**
 * Traces of what happens to a push. Where traces are off there is no `Tracing` at all: callers write `tracing?.start(…)`, so
 * that nothing is computed, not even the attributes. Spans carry ids, never addresses, numbers, texts, keys or links.
 */
export interface Tracing {
  start(name: string, options?: SpanOptions): TraceSpan;
  /** Sends the ended spans that are still here, for a short time at most. */
  stop(): Promise<void>;
}

/** A place in a trace, as the header `traceparent` of W3C writes it. It can be stored and sent. */
export type TraceContext = string;

export interface SpanOptions {
  /** What the span is to others; by default nothing: it is work inside this process. */
  kind?: 'server' | 'client' | 'consumer';
  /** Missing or malformed: the span begins a trace of its own. */
  parent?: TraceContext | null | undefined;
  /** Spans of other traces that it belongs to. Without a parent it is sampled if one of them is. */
  links?: readonly TraceContext[];
  attributes?: SpanAttributes;
  /** By the machine's clock; now if it is not given. */
  startedAt?: Date;
}

export interface TraceSpan {
  readonly context: TraceContext;
  /** Null where the trace is not sampled: nothing of it is stored, so nothing should point to it. */
  readonly traceId: string | null;
  link(context: TraceContext): void;
  /** `failure`: what went wrong, in a word of a fixed set. */
  end(attributes?: SpanAttributes, failure?: string | null): void;
}

/** Null and undefined are left out. */
export type SpanAttributes = Readonly<Record<string, string | number | boolean | null | undefined>>;

const WORD = /^[\w.-]{1,40}$/;

/** The kind of an error: its code, else its name. Never its message, which can quote a value. */
export function failureWord(error: unknown): string {
  if (!(error instanceof Error)) return 'error';
  const code = codeOf(error) ?? error.name;
  return WORD.test(code) ? code : 'error';
}

/** For a log line: the trace that it belongs to, where there is one. */
export const traceFields = (span: TraceSpan | null | undefined): { trace_id?: string } =>
  span?.traceId == null ? {} : { trace_id: span.traceId };
