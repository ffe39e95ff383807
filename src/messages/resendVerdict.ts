import type { PaidChannel } from '../contract/channels.ts';
import type { ErrorCode } from '../kit/errors.ts';
import { type AccountFacts, type PaidSkip, type PersonFacts, whyNoPaid } from '../nudges/gates.ts';
import type { Send } from '../outbox/send.ts';
import { OUTCOME_UNKNOWN } from '../outbox/states.ts';

/** A send of the message, on any channel. */
export type EarlierSend = Pick<Send, 'id' | 'channel' | 'purpose' | 'state' | 'reason' | 'fallback_of'>;

export interface ResendContext {
  channel: PaidChannel;
  messageStatus: 'active' | 'obsolete' | 'retracted';
  sends: readonly EarlierSend[];
  account: AccountFacts;
  person: PersonFacts;
  templateSendable: boolean;
  price: number;
  spendable: number;
  rateLimited: boolean;
}

export type ResendConflict = Extract<
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
  /** `armed` names the send that waits on this channel: it goes now instead, so that there is only ever one. */
  | { kind: 'send'; armed: string | null };

/**
 * What a resend comes to (interface, section 4): a message that is no longer live is not announced; one whose nudge is
 * under way, arrived, or may have arrived is not announced twice; then the gates of a push that names the channel.
 */
export function judgeResend(context: ResendContext): ResendVerdict {
  const { channel, messageStatus, sends, account, person, templateSendable, price, spendable, rateLimited } =
    context;
  if (messageStatus === 'retracted') return { kind: 'skip', reason: 'message_retracted' };
  if (messageStatus === 'obsolete') return { kind: 'skip', reason: 'message_obsolete' };

  const code = conflict(channel, sends);
  if (code !== null) return { kind: 'conflict', code };

  const ask = {
    channel,
    wish: 'named',
    phoneTaken: false,
    templateSendable,
    price,
    spendable,
    rateLimited,
  } as const;
  const reason = whyNoPaid(account, person, ask);
  if (reason !== null) return { kind: 'skip', reason };

  return {
    kind: 'send',
    armed: sends.find((send) => send.channel === channel && send.state === 'held')?.id ?? null,
  };
}

/** Why another one could be one too many; the order of the lines is the order in which it is reported. */
function conflict(channel: PaidChannel, sends: readonly EarlierSend[]): ResendConflict | null {
  const own = sends.filter((send) => send.channel === channel);
  if (own.some(underWayOrArrived)) return `${channel}.already_sent`;
  if (channel === 'whatsapp' && sends.some(textWentInstead)) return 'whatsapp.escalated_to_sms';
  if (own.some(mayHaveArrived)) return `${channel}.may_have_sent`;
  return null;
}

/** Queued and not merely armed, with the provider, or beyond. One that was reported failed or rejected reached nobody. */
const underWayOrArrived = ({ state }: EarlierSend): boolean =>
  state === 'queued' ||
  state === 'submitting' ||
  state === 'accepted' ||
  state === 'delivered' ||
  state === 'read';

const mayHaveArrived = ({ state, reason }: EarlierSend): boolean =>
  state === 'failed' && reason === OUTCOME_UNKNOWN;

/** A text stands in for WhatsApp when it was armed as its fallback, or went at once because WhatsApp cannot carry the message. */
const textWentInstead = (send: EarlierSend): boolean =>
  send.channel === 'sms' &&
  (send.purpose === 'fallback' || send.fallback_of !== null) &&
  (underWayOrArrived(send) || mayHaveArrived(send));
