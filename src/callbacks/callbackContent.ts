import type { FaultyChannel } from '../providers/faults.ts';
import type { DeliveryReport } from './reports.ts';

/** The content of one callback, in a format that all providers share. */
export interface CallbackContent {
  reports: DeliveryReport[];
  inbound: InboundMessage[];
  templates: TemplateReview[];
  /** Problems that the operator must fix. */
  faults: { channel: FaultyChannel; about: string; sentence: string }[];
  /** The number of entries that we do not use. */
  ignored: number;
}

/** An inbound SMS or WhatsApp message. */
export interface InboundMessage {
  channel: 'sms' | 'whatsapp';
  from: string;
  body: string;
  /** The sender it was addressed to, under each name that our configuration may use for it. */
  to: string[];
  /** The provider's id. */
  id: string;
}

export interface TemplateReview {
  name: string;
  /** As the platform names it; null: it does not say. */
  language: string | null;
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
