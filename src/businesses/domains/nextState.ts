import { DAY } from '../../kit/clock.ts';
import type { DomainFinding } from './judge.ts';
import type { SenderDomain } from './sql.ts';

type Standing = Pick<SenderDomain, 'state' | 'failing_since'>;

/** A verified domain is used until checks at least this far apart find no key, with none between them that does. */
const FAILING_MS = DAY;

/** What a check makes of a domain. One without an answer makes nothing of it. */
export function nextState(
  { state, failing_since: since }: Standing,
  dkim: DomainFinding['state'],
  now: Date,
): Standing {
  if (dkim === 'unknown') return { state, failing_since: since };
  if (dkim === 'good') return { state: 'verified', failing_since: null };
  if (state !== 'verified') return { state, failing_since: since };
  const failingSince = since ?? now;
  const breaks = now.getTime() - failingSince.getTime() >= FAILING_MS;
  return { state: breaks ? 'broken' : 'verified', failing_since: failingSince };
}
