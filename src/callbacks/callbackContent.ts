import type { FaultyChannel } from '../providers/faults.ts';
import type { DeliveryReport } from './reports.ts';

/** What a provider told us in one request, in our own terms. */
export interface CallbackContent {
  reports: DeliveryReport[];
  inbound: InboundMessage[];
  templates: TemplateReview[];
  /** What it says is ours to put right. */
  faults: { channel: FaultyChannel; about: string; sentence: string }[];
  /** How much of it is of no interest here. */
  ignored: number;
}

/** Something that a person wrote to us. */
export interface InboundMessage {
  channel: 'sms' | 'whatsapp';
  from: string;
  body: string;
  /** What it was sent to, by every name that a sender of ours may be entered under. */
  to: string[];
  /** The provider's name for it. */
  id: string;
}

export interface TemplateReview {
  name: string;
  state: 'approved' | 'in_review';
}

export const EMPTY_CONTENT: CallbackContent = {
  reports: [],
  inbound: [],
  templates: [],
  faults: [],
  ignored: 0,
};
export const IGNORED_CONTENT: CallbackContent = { ...EMPTY_CONTENT, ignored: 1 };

export const mergeContents = (all: readonly CallbackContent[]): CallbackContent => ({
  reports: all.flatMap(({ reports }) => reports),
  inbound: all.flatMap(({ inbound }) => inbound),
  templates: all.flatMap(({ templates }) => templates),
  faults: all.flatMap(({ faults }) => faults),
  ignored: all.reduce((sum, { ignored }) => sum + ignored, 0),
});
