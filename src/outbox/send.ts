import type { Channel } from '../contract/channels.ts';
import { columns } from '../kit/columns.ts';
import type { SendState } from './states.ts';

/** What a send is for. A nudge, resend or fallback announces a message; the others are service mail. */
export type Purpose = 'nudge' | 'resend' | 'fallback' | 'reply_forward' | 'reply_ack' | 'new_link';

export interface SendKey {
  business_id: string;
  id: string;
}

/** The recipient of a send, and the message that it announces, if any. Neither ever changes. */
export interface SendTarget extends SendKey {
  recipient_id: string;
  message_id: string | null;
}

/** A row of `sends`: the record of a nudge and the job of sending it. */
export interface Send extends SendTarget {
  channel: Channel;
  purpose: Purpose;
  state: SendState;
  reason: string | null;
  error_code: string | null;
  due_at: Date | null;
  lease: string | null;
  attempts: number;
  attempt_token: string | null;
  credits: number;
  reserved: boolean;
  charged: boolean;
  country: string | null;
  escalate_minutes: number | null;
  fallback_of: string | null;
  about: string | null;
  created_at: Date;
  submitted_at: Date | null;
  last_status_at: Date | null;
  delivered_at: Date | null;
  bounced_at: Date | null;
  complained_at: Date | null;
}

const COLUMNS =
  `business_id id message_id recipient_id channel purpose state reason error_code due_at lease attempts attempt_token
  credits reserved charged country escalate_minutes fallback_of about created_at submitted_at last_status_at delivered_at bounced_at
  complained_at`.split(/\s+/);

/** The columns above, as a select list. */
export const sendColumns = (alias: string): string =>
  COLUMNS.map((column) => `${alias}.${column}`).join(', ');

export const keyText = ({ business_id, id }: SendKey): string => `${business_id}-${id}`;

/** The reference that we give to the provider. It is unguessable, and a report that carries it is matched by primary key. */
export const referenceOf = keyText;

const REFERENCE = /^([0-9a-z]{1,64})-([0-9a-z]{1,64})$/;

export function keyFromReference(reference: string): SendKey | null {
  const [, business_id, id] = REFERENCE.exec(reference) ?? [];
  return business_id !== undefined && id !== undefined ? { business_id, id } : null;
}

/** Keys as the two array parameters of a statement. */
export type KeyLists = [businessIds: string[], ids: string[]];

export const keyArrays = (keys: readonly SendKey[]): KeyLists => columns(keys, 'business_id', 'id');

export const businessesOf = (sends: readonly { business_id: string }[]): string[] => [
  ...new Set(sends.map(({ business_id }) => business_id)),
];

/** The keys of the sends' recipients, each once, in locking order. */
export const recipientKeys = (sends: readonly Omit<SendTarget, 'message_id'>[]) =>
  keyArrays(inOrder(sends.map(({ business_id, recipient_id }) => ({ business_id, id: recipient_id }))));

/** The keys of the sends' messages, each once, in locking order. */
export const messageKeys = (sends: readonly SendTarget[]) =>
  keyArrays(
    inOrder(
      sends.flatMap(({ business_id, message_id }) =>
        message_id === null ? [] : [{ business_id, id: message_id }],
      ),
    ),
  );

const inOrder = (keys: readonly SendKey[]): SendKey[] =>
  [...new Map(keys.map((key) => [keyText(key), key])).values()].sort(byId);

/** Whether the change brings the send to this milestone, which it reaches once. */
export const reaches = (
  milestone: 'delivered_at' | 'bounced_at' | 'complained_at',
  before: Send,
  after: Send,
): boolean => before[milestone] === null && after[milestone] !== null;

/** The order in which every transaction locks rows of one table. */
export const byId = (a: SendKey, b: SendKey): number => (a.id < b.id ? -1 : 1);
