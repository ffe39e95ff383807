import type { PaidChannel } from '../contract/channels.ts';
import type { TimelineRow, TimelineSend } from './timelineSql.ts';
import type { Happening, TimelineDetails } from './timelineWords.ts';

/** An item before its sentence. */
export type Fact = Happening &
  TimelineDetails & {
    at: Date;
    reason: string | null;
    /** What the sentence is about, where the reason does not say it. */
    about: string | null;
    /** The provider's word for it, of a send that did not go through. */
    code: string | null;
    /** The send that it is about; null: the message. */
    sendId: string | null;
    /** Who pushed or updated the message, as `actor`s are written; null: not known. */
    pusher: string | null;
  };

export type FactDetails = Partial<Omit<Fact, keyof Happening | 'at'>>;

export const fact = (happening: Happening, at: Date | string, details: FactDetails = {}): Fact => ({
  ...happening,
  at: new Date(at),
  reason: null,
  credits: null,
  about: details.reason ?? null,
  minutesBefore: null,
  deadline: null,
  by: null,
  country: null,
  code: null,
  sendId: null,
  pusher: null,
  ...details,
});

export type HistoryOfSend = TimelineRow['history'];

export const isPaid = (send: TimelineSend): send is TimelineSend & { channel: PaidChannel } =>
  send.channel !== 'email';

/** Without the channel, which is that of the send. */
export const whatOf = ({ type }: { type: string }): string => type.slice(type.indexOf('.') + 1);
