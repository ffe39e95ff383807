import { statement } from '../../db/statement.ts';
import type { DomainFinding } from './judge.ts';

export type DomainState = 'pending' | 'verified' | 'broken';

export interface SenderDomain {
  business_id: string;
  domain: string;
  state: DomainState;
  selector: string;
  public_key: string;
  findings: DomainFinding[];
  /** Null: not yet. */
  checked_at: Date | null;
  /** Since when the checks of a verified domain do not find its key; null: they do. */
  failing_since: Date | null;
}

const COLUMNS = 'business_id, domain, state, selector, public_key, findings, checked_at, failing_since';

/** Keeps the key, the state and the findings of a domain that the business has already. */
export const insertDomain = statement<
  [businessId: string, domain: string, selector: string, publicKey: string, sealed: Buffer, now: Date]
>(`
  insert into sender_domains as d
    (business_id, domain, selector, public_key, private_key_sealed, created_at, check_due_at)
  values ($1, $2, $3, $4, $5, $6, $6)
  on conflict (business_id) do update set
    domain = excluded.domain, selector = excluded.selector, public_key = excluded.public_key,
    private_key_sealed = excluded.private_key_sealed, created_at = excluded.created_at,
    check_due_at = excluded.check_due_at, state = 'pending', findings = '[]', checked_at = null, failing_since = null
  where d.domain <> excluded.domain`);

export const removeDomain = statement<[businessId: string]>(`
  delete from sender_domains where business_id = $1`);

export const readDomain = statement<[businessId: string], SenderDomain>(`
  select ${COLUMNS} from sender_domains where business_id = $1`);

export const listDomains = statement<[limit: number], SenderDomain>(`
  select ${COLUMNS} from sender_domains order by business_id limit $1`);

export const dueDomains = statement<[now: Date, limit: number], { business_id: string }>(`
  select business_id from sender_domains where check_due_at <= $1 order by check_due_at limit $2`);

/** Of several that would check it now, the first one does. `dueAt`: when it is due again if this check comes to nothing. */
export const takeDomainCheck = statement<
  [businessId: string, now: Date, dueAt: Date, notSince: Date],
  SenderDomain
>(`
  update sender_domains set checked_at = $2, check_due_at = $3
  where business_id = $1 and (checked_at is null or checked_at <= $4)
  returning ${COLUMNS}`);

/** No row: the domain is another one by now. */
export const lockDomain = statement<[businessId: string, selector: string], SenderDomain>(`
  select ${COLUMNS} from sender_domains where business_id = $1 and selector = $2 for no key update`);

export const recordDomainCheck = statement<
  [businessId: string, state: DomainState, failingSince: Date | null, findings: string, dueAt: Date]
>(`
  update sender_domains set state = $2, failing_since = $3, findings = $4::jsonb, check_due_at = $5
  where business_id = $1`);
