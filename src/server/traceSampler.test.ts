import { ROOT_CONTEXT, type SpanContext, SpanKind, TraceFlags, trace } from '@opentelemetry/api';
import { SamplingDecision } from '@opentelemetry/sdk-trace-base';
import { describe, expect, test } from 'vitest';
import type { TraceSettings } from '../environment/config.ts';
import { samplerFor } from './traceSampler.ts';

const TRACE_ID = 'f'.repeat(32);
const place = (sampled: boolean): SpanContext => ({
  traceId: 'a'.repeat(32),
  spanId: 'b'.repeat(16),
  traceFlags: sampled ? TraceFlags.SAMPLED : TraceFlags.NONE,
});

const isKept = (
  sampler: TraceSettings['sampler'],
  { parent, links = [], ratio = 1 }: { parent?: boolean; links?: boolean[]; ratio?: number },
): boolean =>
  samplerFor({ endpoint: '', sampler, ratio }).shouldSample(
    parent === undefined ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, place(parent)),
    TRACE_ID,
    'span',
    SpanKind.INTERNAL,
    {},
    links.map((sampled) => ({ context: place(sampled) })),
  ).decision === SamplingDecision.RECORD_AND_SAMPLED;

test.each<[TraceSettings['sampler'], Record<'root' | 'above' | 'below', boolean>]>([
  ['always_on', { root: true, above: true, below: true }],
  ['always_off', { root: false, above: false, below: false }],
  ['parentbased_always_on', { root: true, above: true, below: false }],
  ['parentbased_always_off', { root: false, above: true, below: false }],
])('%s without a parent, under a sampled one, and under one that is not', (sampler, expected) => {
  expect({
    root: isKept(sampler, {}),
    above: isKept(sampler, { parent: true }),
    below: isKept(sampler, { parent: false }),
  }).toEqual(expected);
});

test('a part of the traces is kept, by their ids', () => {
  for (const sampler of ['traceidratio', 'parentbased_traceidratio'] as const) {
    expect(isKept(sampler, { ratio: 1 })).toBe(true);
    expect(isKept(sampler, { ratio: 0 })).toBe(false);
  }
  expect(isKept('traceidratio', { ratio: 0, parent: true })).toBe(false);
  expect(isKept('parentbased_traceidratio', { ratio: 0, parent: true })).toBe(true);
});

describe('a span with links', () => {
  test('is kept if one of the linked is, whatever the part', () => {
    const sampler = 'parentbased_traceidratio';
    expect(isKept(sampler, { ratio: 0, links: [false, true] })).toBe(true);
    expect(isKept(sampler, { ratio: 1, links: [false, false] })).toBe(false);
  });

  test('follows its parent if it has one', () => {
    expect(isKept('parentbased_always_on', { parent: false, links: [true] })).toBe(false);
    expect(isKept('parentbased_always_on', { parent: true, links: [false] })).toBe(true);
  });
});
