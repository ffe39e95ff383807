import type { FaultyChannel } from '../providers/faults.ts';
import type { Report } from './reports.ts';

/** What a provider told us in one request, in our own terms. */
export interface Heard {
  reports: Report[];
  inbound: Inbound[];
  templates: TemplateNews[];
  /** What it says is ours to put right. */
  faults: { channel: FaultyChannel; about: string; sentence: string }[];
  /** How much of it is of no interest here. */
  ignored: number;
}

/** Something that a person wrote to us. */
export interface Inbound {
  channel: 'sms' | 'whatsapp';
  from: string;
  body: string;
  /** What it was sent to, by every name that a sender of ours may be entered under. */
  to: string[];
  /** The provider's name for it. */
  id: string;
}

export interface TemplateNews {
  name: string;
  state: 'approved' | 'in_review';
}

export const NOTHING: Heard = { reports: [], inbound: [], templates: [], faults: [], ignored: 0 };
export const IGNORED: Heard = { ...NOTHING, ignored: 1 };

export const together = (all: readonly Heard[]): Heard => ({
  reports: all.flatMap(({ reports }) => reports),
  inbound: all.flatMap(({ inbound }) => inbound),
  templates: all.flatMap(({ templates }) => templates),
  faults: all.flatMap(({ faults }) => faults),
  ignored: all.reduce((sum, { ignored }) => sum + ignored, 0),
});
