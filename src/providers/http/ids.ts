import { type Channel, channels } from '../../contract/channels.ts';
import type { AnyOutbound } from '../provider.ts';

/** The id of an attempt, which callbacks name. A report says nothing of the channel, so the id does. */
export const attemptId = ({ channel, reference, attempt }: AnyOutbound): string =>
  `${channel}_${reference}_${attempt}`;

/** The send of an attempt; null: we made no such id. */
export function sendOfAttempt(id: string): { channel: Channel; reference: string } | null {
  const [, name, reference] = /^([a-z]{1,10})_([0-9a-z]{1,64}-[0-9a-z]{1,64})_\d{1,9}$/.exec(id) ?? [];
  const channel = channels.find((one) => one === name);
  return channel === undefined || reference === undefined ? null : { channel, reference };
}

/** Whether it can be an id of the receiver's: short, and nothing that a database or a log would stumble over. */
export const isReceiverId = (text: string | null): text is string =>
  text !== null && /^[\x21-\x7e]{1,128}$/.test(text);
