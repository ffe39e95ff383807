import type { PaidChannel } from '../../../contract/channels.ts';
import { sentenceOf } from '../../../kit/errors.ts';
import type { JudgedResend } from '../../../messages/resend.ts';
import type { ResendVerdict } from '../../../messages/resendVerdict.ts';
import { timelineSentence } from '../../../messages/timelineWords.ts';
import { PAID_NOUNS } from '../../kit/channelWords.ts';

type SkipReason = Extract<ResendVerdict, { kind: 'skip' }>['reason'];

/** Why a channel cannot be sent now, and where that is put right. */
export interface WhyNot {
  says: string;
  /** A path in the shop; null: nobody in the shop can. */
  way: { path: string; label: string } | null;
}

/** Null: it can. */
export function whyNotResent(
  { channel, verdict }: Pick<JudgedResend, 'channel' | 'verdict'>,
  recipientId: string,
): WhyNot | null {
  switch (verdict.kind) {
    case 'send':
      return null;
    case 'conflict':
      return { says: sentenceOf(verdict.code), way: null };
    case 'skip': {
      const because = BECAUSE[verdict.reason]?.(channel);
      const says =
        because === undefined
          ? timelineSentence({ kind: 'skipped', channel }, verdict.reason)
          : `No ${PAID_NOUNS[channel]}: ${because}`;
      return { says, way: wayFor(verdict.reason, channel, recipientId) };
    }
  }
}

/** Where now is not as it would have been in the story. */
const BECAUSE: Partial<Record<SkipReason, (channel: PaidChannel) => string>> = {
  sending_paused: () => 'sending is paused for this shop. The operator can resume it.',
  insufficient_credit: () => 'there is not enough credit.',
  rate_limited: () => 'the customer has had as many messages within the hour as one may get.',
  message_retracted: () => 'the message was retracted.',
  message_obsolete: () => 'a newer message replaced this one.',
};

function wayFor(reason: SkipReason, channel: PaidChannel, recipientId: string): WhyNot['way'] {
  const customer = (label: string) => ({ path: `/recipients/${recipientId}`, label });
  const limits = (label: string) => ({ path: '/settings/channels#limits', label });
  const setup = (label: string) => ({ path: `/settings/channels/${channel}`, label });
  switch (reason) {
    case 'no_phone':
      return customer('Set their number');
    case 'not_reachable':
      return customer('Check their number');
    case 'stopped':
    case 'unsubscribed':
    case 'not_opted_in':
      return customer('What they agreed to');
    case 'sms_disabled':
    case 'whatsapp_disabled':
      return setup('Switch it on');
    case 'sms_not_enabled':
    case 'whatsapp_not_enabled':
    case 'template_not_sendable':
      return setup('What it needs');
    case 'country_not_allowed':
      return limits('Countries that are allowed');
    case 'rate_limited':
      return limits('The limit');
    case 'insufficient_credit':
      return { path: '/credits', label: 'Credits' };
    default:
      return null;
  }
}
