import type { Channel } from '../../../contract/channels.ts';

/** One channel as its workers see it. */
export interface ChannelReport {
  channel: Channel;
  /** As in EMAIL_PROVIDER and its like, in their order; `perSecond` is the most calls of a worker, null without a limit. */
  providers: { name: string; perSecond: number | null }[];
  /** Its circuit is open: no call is made until the fault is fixed, except a trial now and then. */
  isPaused: boolean;
  /** Calls since the workers started, by outcome; the most first. */
  calls: { outcome: string; count: number }[];
}

export interface ChannelsReport {
  channels: ChannelReport[];
  /** What the operator has to put right, in the words of `/readyz` and the log. */
  sentences: string[];
  /** False: the workers are other programs, and this one does not know what they see. */
  knowsWorkers: boolean;
}
