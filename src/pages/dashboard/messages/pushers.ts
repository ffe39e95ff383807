import { TRACKING } from '../../../push/pushedBy.ts';
import { actorWords } from '../audit/words.ts';
import { titleOf } from '../connections/words.ts';
import type { Pusher } from './sql.ts';

/** As the audit log calls them. */
export function pusherWords(pusher: Pusher): string {
  const { actor, connection_kind: kind, connection_name: name } = pusher;
  if (actor === TRACKING) return 'tracking';
  if (!actor.startsWith('connection:')) return withinSentence(actorWords({ actor }, pusher));
  if (kind === null) return 'a connection that is gone';
  const title = titleOf(kind);
  return name === null || name === title ? `connection ${title}` : `connection ${title} “${name}”`;
}

/** An address stays as it is. */
const withinSentence = (words: string): string =>
  words.startsWith('API') || words.includes('@') ? words : words.charAt(0).toLowerCase() + words.slice(1);
