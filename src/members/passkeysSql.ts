import { type Queryable, statement } from '../db/statement.ts';
import { firstShopOf } from './sql.ts';

export const insertChallenge = statement<
  [challengeHash: Buffer, browserHash: Buffer, memberId: string | null, expiresAt: Date]
>(`
  insert into passkey_challenges (challenge_hash, browser_hash, member_id, expires_at) values ($1, $2, $3, $4)`);

/** Uses the challenge up: of two requests at once, one gets the row. Another browser's or member's is left alone. */
export const takeChallenge = statement<
  [challengeHash: Buffer, browserHash: Buffer, memberId: string | null, now: Date],
  { taken: true }
>(`
  delete from passkey_challenges
  where challenge_hash = $1 and browser_hash = $2 and member_id is not distinct from $3 and expires_at > $4
  returning true as taken`);

export interface ListedPasskey {
  id: string;
  name: string;
  credential_id: Buffer;
  transports: string[];
  created_at: Date;
  last_used_at: Date | null;
}

export const listPasskeysOf = statement<[memberId: string], ListedPasskey>(`
  select id, name, credential_id, transports, created_at, last_used_at from passkeys
  where member_id = $1 order by id`);

/** Nothing for a credential that is known already, or beyond the limit. */
export const insertPasskey = statement<
  [
    id: string,
    memberId: string,
    credentialId: Buffer,
    name: string,
    publicKey: Buffer,
    counter: number,
    transports: readonly string[],
    now: Date,
    most: number,
  ],
  { id: string }
>(`
  insert into passkeys (id, member_id, credential_id, name, public_key, counter, transports, created_at)
  select $1, $2, $3, $4, $5, $6, $7, $8
  where (select count(*) from passkeys where member_id = $2) < $9
  on conflict (credential_id) do nothing
  returning id`);

export interface PasskeyRow {
  id: string;
  member_id: string;
  public_key: Buffer;
  counter: number;
}

const findCredential = statement<[credentialId: Buffer], PasskeyRow & { operator: boolean }>(`
  select p.id, p.member_id, p.public_key, p.counter::float8 as counter, m.operator_since is not null as operator
  from passkeys p join members m on m.id = p.member_id where p.credential_id = $1`);

/** The passkey of somebody who may still sign in. */
export async function findPasskey(db: Queryable, credentialId: Buffer): Promise<PasskeyRow | null> {
  const [found] = await findCredential(db, credentialId);
  if (!found) return null;
  if (found.operator) return found;
  const [shop] = await firstShopOf(db, found.member_id);
  return shop?.business_id == null ? null : found;
}

/** Only forwards: of two uses with one count, the second gets nothing. An authenticator that does not count stays at 0. */
export const advancePasskey = statement<[id: string, counter: number, now: Date], { member_id: string }>(`
  update passkeys set counter = $2, last_used_at = $3
  where id = $1 and (counter < $2 or (counter = 0 and $2 = 0))
  returning member_id`);

export const deletePasskey = statement<[memberId: string, id: string], { id: string }>(`
  delete from passkeys where member_id = $1 and id = $2 returning id`);

export const deletePasskeysOf = statement<[memberId: string]>(`delete from passkeys where member_id = $1`);
