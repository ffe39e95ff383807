import type { PaidChannel } from '../contract/channels.ts';
import { countCancelledPaid, type UsageFact } from '../usage/counters.ts';
import type { Decision } from './decide.ts';

/** The paid channels that the push decided against, and why. They have no send. */
export function skippedPaid({
  result,
}: Pick<Decision, 'result'>): { channel: PaidChannel; reason: string }[] {
  const reasons = { sms: result.sms?.skipped_reason, whatsapp: result.whatsapp?.skipped_reason };
  return (['sms', 'whatsapp'] as const).flatMap((channel) => {
    const reason = reasons[channel] ?? null;
    return reason === null ? [] : [{ channel, reason }];
  });
}

/** What a push adds to the usage of its business. The statement for groups of plain pushes counts the same. */
export function usageOfPush(decision: Decision, now: Date): UsageFact[] {
  const { businessId, created, sends, cancelled } = decision;
  const counted = [
    ...(created ? [{ counter: 'messages' as const, amount: 1 }] : []),
    ...sends
      .filter(({ channel, state }) => channel === 'email' && state === 'skipped')
      .map(() => ({ counter: 'email_not_sent' as const, amount: 1 })),
    ...skippedPaid(decision).map(({ channel }) => ({ counter: `${channel}_skipped` as const, amount: 1 })),
    ...cancelled.flatMap(countCancelled),
  ];
  return counted.map(({ counter, amount }) => ({ businessId, at: now, counter, amount }));
}

function countCancelled({
  send,
  reason,
}: Decision['cancelled'][number]): Pick<UsageFact, 'counter' | 'amount'>[] {
  const { channel, credits, armed, charged } = send;
  if (channel === 'email') return reason === 'superseded' ? [] : [{ counter: 'email_not_sent', amount: 1 }];
  return [
    ...countCancelledPaid({ channel, credits, armed }, reason),
    ...(charged === 0 ? [] : [{ counter: `${channel}_credits` as const, amount: -charged }]),
  ];
}
