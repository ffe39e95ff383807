import type { Channel } from '../../../contract/channels.ts';

export interface ProviderReport {
  name: string;
  /** The most calls per second and worker; null: the sandbox has no limit. */
  perSecond: number | null;
  /** Of a hundred messages, how many it is asked first for; null: it is the only one, or the workers are other programs. */
  share: number | null;
}

/** One channel as its workers see it. */
export interface ChannelReport {
  channel: Channel;
  /** As in EMAIL_PROVIDER and its like, in their order. */
  providers: ProviderReport[];
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
