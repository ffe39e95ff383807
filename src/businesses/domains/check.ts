import type { Pool } from '../../db/pool.ts';
import { transaction } from '../../db/transaction.ts';
import { type Clock, DAY, earlier, HOUR, later, MINUTE, SECOND } from '../../kit/clock.ts';
import { messageOf } from '../../kit/errors.ts';
import type { Log } from '../../kit/log.ts';
import { type Loop, startLoop } from '../../kit/loop.ts';
import { recordAudit } from '../audit.ts';
import { type DomainFinding, judgeDomain } from './judge.ts';
import { askAboutDomain, createLookUp } from './lookUp.ts';
import { nextState } from './nextState.ts';
import {
  type DomainState,
  dueDomains,
  lockDomain,
  recordDomainCheck,
  type SenderDomain,
  takeDomainCheck,
} from './sql.ts';

interface CheckDeps {
  pool: Pool;
  clock: Clock;
  /** Default: the system's. */
  nameServers?: readonly string[] | undefined;
}

/** Between two checks of a domain, however many people of the shop ask for one. */
const CHECK_PAUSE_MS = 20 * SECOND;
const CHECK_EVERY_MS = DAY;
/** After a check without an answer, and after one whose process died. */
const AGAIN_AFTER_MS = HOUR;
const POLL_MS = 5 * MINUTE;
const DOMAINS_A_STEP = 10;
/** The actor of changes that nobody asked for. */
const BY_ITSELF = 'waypost';

/** Asks DNS about a business's domain and records what is found; null: it has none, or was checked less than `pauseMs` ago. */
export async function checkDomain(
  { pool, clock, nameServers }: CheckDeps,
  businessId: string,
  actor: string,
  pauseMs = CHECK_PAUSE_MS,
): Promise<DomainState | null> {
  const askedAt = clock.now();
  const dueAt = later(askedAt, AGAIN_AFTER_MS);
  const [domain] = await takeDomainCheck(pool, businessId, askedAt, dueAt, earlier(askedAt, pauseMs));
  return domain === undefined
    ? null
    : record(pool, clock, domain, actor, await findingsAbout(domain, nameServers));
}

export const findingsAbout = async (
  { domain, selector, public_key: publicKey }: SenderDomain,
  nameServers?: readonly string[],
): Promise<DomainFinding[]> => {
  const asked = { domain, selector, publicKey };
  return judgeDomain(asked, await askAboutDomain(createLookUp(nameServers), asked));
};

const record = (
  pool: Pool,
  clock: Clock,
  { business_id: businessId, selector, domain }: SenderDomain,
  actor: string,
  findings: readonly DomainFinding[],
): Promise<DomainState | null> =>
  transaction(pool, async (tx) => {
    const [before] = await lockDomain(tx, businessId, selector);
    if (!before) return null;
    const now = clock.now();
    const dkim = findings.find((found) => found.record === 'dkim')?.state ?? 'unknown';
    const { state, failing_since } = nextState(before, dkim, now);
    const dueAt = later(now, dkim === 'unknown' ? AGAIN_AFTER_MS : CHECK_EVERY_MS);
    await recordDomainCheck(tx, businessId, state, failing_since, JSON.stringify(findings), dueAt);
    if (state !== before.state)
      await recordAudit(tx, now, { businessId, actor, action: `sender.domain_${state}`, detail: { domain } });
    return state;
  });

/** Checks every domain once a day. Any number of processes may run it at once. */
export function startDomainChecks(deps: CheckDeps & { log: Log }): Loop {
  const { pool, clock, log } = deps;
  const checkDue = async (businessId: string): Promise<void> => {
    try {
      const state = await checkDomain(deps, businessId, BY_ITSELF);
      if (state !== null) log.info({ business_id: businessId, state }, 'sender domain checked');
    } catch (error) {
      log.warn({ business_id: businessId, error: messageOf(error) }, 'sender domain not checked');
    }
  };
  return startLoop({
    name: 'sender domains',
    clock,
    log,
    pollMs: POLL_MS,
    busy: () => 0,
    nextDue: async () => null,
    settled: async () => true,
    async step() {
      const due = await dueDomains(pool, clock.now(), DOMAINS_A_STEP);
      await Promise.all(due.map(({ business_id }) => checkDue(business_id)));
      return due.length === DOMAINS_A_STEP;
    },
  });
}
