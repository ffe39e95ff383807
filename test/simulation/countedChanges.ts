import type { CommittedMessage, CommittedSend, CommittedState } from './snapshot.ts';

/** The changes of a commit, by the names under which coverage counts them. */
export function countedChanges(before: CommittedState, after: CommittedState): string[] {
  const known = new Map(before.sends.map((send) => [send.id, send]));
  const told = new Set(before.events.map(({ id }) => id));
  return [
    ...after.sends.flatMap((send) => ofSend(known.get(send.id) ?? null, send)),
    ...after.sends
      .filter((send) => isEscalated(known.get(send.id) ?? null, send))
      .filter(({ message_id }) =>
        after.messages.some(({ id, opened_at }) => id === message_id && opened_at !== null),
      )
      .map(() => 'escalated after an opening'),
    ...after.messages
      .filter(({ unread_again }) => !unread_again)
      .filter(({ id }) => before.messages.some((old) => old.id === id && isUnreadAgain(old)))
      .map(() => 'opened again'),
    ...after.events.filter(({ id }) => !told.has(id)).map(({ type }) => `told: ${type}`),
    ...after.deliveries
      .filter(({ state }) => state === 'exhausted')
      .filter(({ event_id }) =>
        before.deliveries.some((old) => old.event_id === event_id && old.state === 'pending'),
      )
      .map(() => 'event exhausted'),
  ];
}

/** Opened, and updated since. */
export const isUnreadAgain = ({ opened_at, unread_again }: CommittedMessage): boolean =>
  opened_at !== null && unread_again;

const isEscalated = (before: CommittedSend | null, after: CommittedSend): boolean =>
  before?.state === 'held' && after.state === 'queued' && before.escalate_minutes !== null;

function ofSend(before: CommittedSend | null, after: CommittedSend): string[] {
  const names: string[] = [];
  if (before?.lease && after.lease && before.lease !== after.lease) names.push('lease ran out');
  if (before?.state === after.state) return names;
  if (after.state === 'skipped' || after.state === 'cancelled') names.push(`${after.state}: ${after.reason}`);
  if (before?.state === 'submitting' && before.lease !== null && after.state === 'failed')
    names.push('call given up as lost');
  if (isEscalated(before, after)) names.push('escalated');
  else if (before?.state === 'held' && after.state === 'queued') names.push('fell back to a text');
  return names;
}
