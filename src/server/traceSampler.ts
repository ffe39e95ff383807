import { TraceFlags, trace } from '@opentelemetry/api';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  ParentBasedSampler,
  type Sampler,
  SamplingDecision,
  TraceIdRatioBasedSampler,
} from '@opentelemetry/sdk-trace-base';
import type { TraceSettings } from '../environment/config.ts';

/**
 * Which traces are kept. A span without a parent but with links, as that of a commit of many pushes, is kept if one of the linked is:
 * judged by its own trace id it would be missing from most of the traces that lead to it.
 */
export function samplerFor(settings: TraceSettings): Sampler {
  const chosen = chosenSampler(settings);
  return {
    shouldSample(context, traceId, name, kind, attributes, links) {
      if (links.length === 0 || trace.getSpanContext(context) !== undefined)
        return chosen.shouldSample(context, traceId, name, kind, attributes, links);
      const isKept = links.some(({ context: linked }) => (linked.traceFlags & TraceFlags.SAMPLED) !== 0);
      return { decision: isKept ? SamplingDecision.RECORD_AND_SAMPLED : SamplingDecision.NOT_RECORD };
    },
    toString: () => `Linked{${chosen.toString()}}`,
  };
}

function chosenSampler({ sampler, ratio }: TraceSettings): Sampler {
  switch (sampler) {
    case 'always_on':
      return new AlwaysOnSampler();
    case 'always_off':
      return new AlwaysOffSampler();
    case 'traceidratio':
      return new TraceIdRatioBasedSampler(ratio);
    case 'parentbased_always_on':
      return new ParentBasedSampler({ root: new AlwaysOnSampler() });
    case 'parentbased_always_off':
      return new ParentBasedSampler({ root: new AlwaysOffSampler() });
    case 'parentbased_traceidratio':
      return new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(ratio) });
  }
}
