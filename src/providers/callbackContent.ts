import type { Channel, PaidChannel } from '../contract/channels.ts';

/** The content of one callback, in a format that all providers share. */
export interface CallbackContent {
  reports: DeliveryReport[];
  inbound: InboundMessage[];
  templates: TemplateReview[];
  /** Problems that the operator must fix. */
  faults: { channel: Channel; about: string; sentence: string }[];
  /** The number of entries that we do not use. */
  ignored: number;
}

export const reportStatuses = ['delivered', 'bounced', 'complained', 'failed', 'rejected', 'read'] as const;
export type ReportStatus = (typeof reportStatuses)[number];

/** What a delivery report says about an accepted send. */
export interface ReportFacts {
  status: ReportStatus;
  errorCode: string | null;
  /** The number turned out not to be on WhatsApp. */
  notOnWhatsapp?: boolean;
}

/** A delivery report, matched to a send by the reference that we gave to the provider. */
export interface DeliveryReport extends ReportFacts {
  provider: string;
  /** The provider's id of this report, if any: a repeated one is ignored. */
  reportId: string | null;
  reference: string;
  /** For a bounce: the address will never work. Only a permanent bounce suppresses the address. */
  permanent?: boolean;
  /** For another bounce: with so many of them within some weeks the address is as good as dead. */
  permanentAfter?: number;
  /** The person opted out of our messages at the carrier or at WhatsApp. */
  stopped?: boolean;
  /** The number it is about, if the provider says so: a stop must not apply to a newer number of the recipient. */
  number?: string | null;
  /** The channel on which that number was messaged. */
  paidChannel?: PaidChannel;
}

/** An inbound SMS or WhatsApp message. */
export interface InboundMessage {
  channel: PaidChannel;
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

export const contentOf = (content: Partial<CallbackContent>): CallbackContent => ({
  reports: [],
  inbound: [],
  templates: [],
  faults: [],
  ignored: 0,
  ...content,
});

export const IGNORED_CONTENT = contentOf({ ignored: 1 });

/** What an email provider's event says about its mail. */
export type EmailReport = ReportFacts & Pick<DeliveryReport, 'permanent' | 'permanentAfter'>;

/** An event about one mail; null: it is not used. Without our reference it matches no send. */
export const emailContent = (
  { provider, reportId, reference }: { provider: string; reportId: string; reference: string | null },
  report: EmailReport | null,
): CallbackContent =>
  report === null
    ? IGNORED_CONTENT
    : contentOf({ reports: [{ provider, reportId, reference: reference ?? '', ...report }] });

export const mergeContents = (all: readonly CallbackContent[]): CallbackContent => ({
  reports: all.flatMap(({ reports }) => reports),
  inbound: all.flatMap(({ inbound }) => inbound),
  templates: all.flatMap(({ templates }) => templates),
  faults: all.flatMap(({ faults }) => faults),
  ignored: all.reduce((sum, { ignored }) => sum + ignored, 0),
});
