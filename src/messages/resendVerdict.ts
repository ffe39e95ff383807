import type { PaidChannel } from '../contract/channels.ts';
import type { ListedMessage } from '../contract/messages.ts';
import type { ErrorCode } from '../kit/errors.ts';
import {
  type AccountFacts,
  type PaidAsk,
  type PaidSkip,
  type PersonFacts,
  whyNoPaid,
} from '../nudges/gates.ts';
import type { Send } from '../outbox/send.ts';
import { isUnknown, mayBeAccepted } from '../outbox/states.ts';

/** A send of the message, on any channel. */
export type EarlierSend = Pick<Send, 'id' | 'channel' | 'purpose' | 'state' | 'reason' | 'fallback_of'>;

export interface ResendContext extends Omit<PaidAsk, 'wish' | 'phoneTaken'> {
  messageStatus: ListedMessage['status'];
  sends: readonly EarlierSend[];
  account: AccountFacts;
  person: PersonFacts;
}

type ResendConflict = Extract<
  ErrorCode,
  | 'sms.already_sent'
  | 'sms.may_have_sent'
  | 'whatsapp.already_sent'
  | 'whatsapp.escalated_to_sms'
  | 'whatsapp.may_have_sent'
>;

export type ResendVerdict =
  | { kind: 'conflict'; code: ResendConflict }
  | { kind: 'skip'; reason: PaidSkip | 'message_retracted' | 'message_obsolete' }
  /** `held` is the send that waits on this channel, if any: it is sent now, so that there is never a second one. */
  | { kind: 'send'; held: string | null };

/**
 * Decides a resend (interface, section 4). A retracted or obsolete message is skipped; a nudge that is in progress, was
 * delivered or may have been is a conflict; then the gates apply as for a push that names the channel.
 */
export function judgeResend(context: ResendContext): ResendVerdict {
  const { channel, messageStatus, sends, account, person } = context;
  if (messageStatus === 'retracted') return { kind: 'skip', reason: 'message_retracted' };
  if (messageStatus === 'obsolete') return { kind: 'skip', reason: 'message_obsolete' };

  const code = conflict(channel, sends);
  if (code !== null) return { kind: 'conflict', code };

  const reason = whyNoPaid(account, person, { ...context, wish: 'named', phoneTaken: false });
  if (reason !== null) return { kind: 'skip', reason };

  return {
    kind: 'send',
    held: sends.find((send) => send.channel === channel && send.state === 'held')?.id ?? null,
  };
}

/** Why a resend could be a duplicate. The order of the lines is the order of the reported codes. */
function conflict(channel: PaidChannel, sends: readonly EarlierSend[]): ResendConflict | null {
  const own = sends.filter((send) => send.channel === channel);
  if (own.some(isSentOrQueued)) return `${channel}.already_sent`;
  if (channel === 'whatsapp' && sends.some(isSentFallback)) return 'whatsapp.escalated_to_sms';
  if (own.some(isUnknown)) return `${channel}.may_have_sent`;
  return null;
}

/** A held send does not count yet; a failed or rejected one did not reach the person. */
const isSentOrQueued = ({ state }: EarlierSend): boolean =>
  state === 'queued' || (mayBeAccepted(state) && state !== 'failed');

/** A fallback is linked to its WhatsApp send, or was sent at once because WhatsApp cannot carry the message. */
const isSentFallback = (send: EarlierSend): boolean =>
  send.channel === 'sms' &&
  (send.purpose === 'fallback' || send.fallback_of !== null) &&
  (isSentOrQueued(send) || isUnknown(send));
