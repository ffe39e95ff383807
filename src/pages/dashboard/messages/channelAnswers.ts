import { type Channel, channels } from '../../../contract/channels.ts';
import type { TimelineItem } from '../../../contract/timeline.ts';

/** What became of a channel, in one sentence. */
export interface ChannelAnswer {
  channel: Channel;
  says: string;
}

/** What support asks first: for each channel, the last thing that was decided or happened. Credits stand in the timeline. */
export const channelAnswers = (items: readonly TimelineItem[]): ChannelAnswer[] =>
  channels.flatMap((channel) => {
    const last = items.findLast((item) => item.channel === channel && !item.kind.startsWith('credits_'));
    return last ? [{ channel, says: last.says }] : [];
  });
