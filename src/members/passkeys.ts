import { isIP } from 'node:net';
import type { PublicKeyCredentialCreationOptionsJSON } from '@simplewebauthn/server';
import { actingMember, recordPlatformAudit } from '../businesses/audit.ts';
import { PASSKEY_CHALLENGE_MS, PASSKEYS_PER_MEMBER } from '../config/limits.ts';
import type { Pool } from '../db/pool.ts';
import type { Queryable } from '../db/statement.ts';
import { transaction } from '../db/transaction.ts';
import { later } from '../kit/clock.ts';
import { longRandomToken, newId, sha256 } from '../kit/ids.ts';
import { parseNewPasskey, parseUsedPasskey } from './passkeyResponse.ts';
import {
  advancePasskey,
  deletePasskey,
  findPasskey,
  insertChallenge,
  insertPasskey,
  listPasskeysOf,
  type PasskeyRow,
  takeChallenge,
} from './passkeysSql.ts';
import { startMemberSession } from './session.ts';

/** Where passkeys are made and used. A browser gives a passkey to no other site. */
export interface RelyingParty {
  id: string;
  origin: string;
}

/** Null where browsers allow no passkey: at an IP address, and over http except on this machine. */
export function relyingPartyOf(publicUrl: string): RelyingParty | null {
  const { protocol, hostname, origin } = new URL(publicUrl);
  const isAddress = hostname.startsWith('[') || isIP(hostname) !== 0;
  const isLocal = hostname === 'localhost' || hostname.endsWith('.localhost');
  return isAddress || (protocol !== 'https:' && !isLocal) ? null : { id: hostname, origin };
}

/** Loaded when somebody first uses a passkey: it takes half a second of the processor, in every process. */
const webauthn = () => import('@simplewebauthn/server');

/** ES256, RS256 and EdDSA: at least one is known to every authenticator, and every Node can verify them. */
const ALGORITHMS = [-7, -257, -8];

interface NewPasskey {
  memberId: string;
  browserToken: string;
}

/** For `navigator.credentials.create`. */
export async function newPasskeyOptions(
  db: Queryable,
  site: RelyingParty,
  { memberId, browserToken, email }: NewPasskey & { email: string },
  now: Date,
): Promise<PublicKeyCredentialCreationOptionsJSON> {
  const known = await listPasskeysOf(db, memberId);
  const { generateRegistrationOptions } = await webauthn();
  return generateRegistrationOptions({
    rpName: 'Waypost',
    rpID: site.id,
    userName: email,
    userDisplayName: email,
    userID: Uint8Array.from(Buffer.from(memberId)),
    challenge: await newChallenge(db, browserToken, memberId, now),
    timeout: PASSKEY_CHALLENGE_MS,
    attestationType: 'none',
    excludeCredentials: known.map(({ credential_id }) => ({ id: credential_id.toString('base64url') })),
    // It must be found without an address typed, and must ask for a finger, a face or a PIN: it replaces both link and password.
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    supportedAlgorithmIDs: ALGORITHMS,
  });
}

/** Keeps the passkey that the browser made; false if it is not for us, or not in answer to this browser's own challenge. */
export async function addPasskey(
  pool: Pool,
  site: RelyingParty,
  { memberId, browserToken, name, credential }: NewPasskey & { name: string; credential: string },
  now: Date,
): Promise<boolean> {
  const parsed = parseNewPasskey(credential);
  if (parsed === null || !(await isChallengeTaken(pool, parsed.challenge, browserToken, memberId, now)))
    return false;
  const { verifyRegistrationResponse } = await webauthn();
  const { registrationInfo: made } = await orRefused(
    verifyRegistrationResponse({ response: parsed.response, ...expected(site, parsed.challenge) }),
  );
  if (made === undefined) return false;
  const { publicKey, counter } = made.credential;
  return transaction(pool, async (tx) => {
    const id = newId(now);
    const [added] = await insertPasskey(
      tx,
      id,
      memberId,
      Buffer.from(parsed.credentialId, 'base64url'),
      name,
      Buffer.from(publicKey),
      counter,
      parsed.response.response.transports ?? [],
      now,
      PASSKEYS_PER_MEMBER,
    );
    if (added) await audit(tx, memberId, 'passkey.added', id, now);
    return added !== undefined;
  });
}

/** For `navigator.credentials.get`. It names no passkey: the browser shows those that it has for this site. */
export async function usePasskeyOptions(db: Queryable, site: RelyingParty, browserToken: string, now: Date) {
  const { generateAuthenticationOptions } = await webauthn();
  return generateAuthenticationOptions({
    rpID: site.id,
    challenge: await newChallenge(db, browserToken, null, now),
    timeout: PASSKEY_CHALLENGE_MS,
    userVerification: 'required',
  });
}

/** Trades a passkey's signature for a session and returns the session's token; null when it is not worth one. */
export async function signInWithPasskey(
  pool: Pool,
  site: RelyingParty,
  { credential, browserToken, browser }: { credential: string; browserToken: string | null; browser: string },
  now: Date,
): Promise<string | null> {
  const parsed = parseUsedPasskey(credential);
  if (parsed === null || browserToken === null) return null;
  if (!(await isChallengeTaken(pool, parsed.challenge, browserToken, null, now))) return null;
  const known = await findPasskey(pool, Buffer.from(parsed.credentialId, 'base64url'));
  if (!known || !isOfMember(parsed.response.response.userHandle, known)) return null;
  const { verifyAuthenticationResponse } = await webauthn();
  const { authenticationInfo } = await orRefused(
    verifyAuthenticationResponse({
      response: parsed.response,
      ...expected(site, parsed.challenge),
      credential: {
        id: parsed.credentialId,
        publicKey: Uint8Array.from(known.public_key),
        counter: known.counter,
      },
    }),
  );
  if (authenticationInfo === undefined) return null;
  return transaction(pool, async (tx) => {
    const [used] = await advancePasskey(tx, known.id, authenticationInfo.newCounter, now);
    if (!used) return null;
    return startMemberSession(tx, { memberId: used.member_id, browser }, now);
  });
}

/** False: the member has no such passkey. */
export const removePasskey = (pool: Pool, memberId: string, id: string, now: Date): Promise<boolean> =>
  transaction(pool, async (tx) => {
    const [removed] = await deletePasskey(tx, memberId, id);
    if (removed) await audit(tx, memberId, 'passkey.removed', id, now);
    return removed !== undefined;
  });

const expected = ({ id, origin }: RelyingParty, challenge: string) => ({
  expectedChallenge: challenge,
  expectedOrigin: origin,
  expectedRPID: id,
  requireUserVerification: true,
});

/** The library throws for every fault of a response; none of them is ours to mend, and a stranger learns of none. */
async function orRefused<Verified extends { verified: boolean }>(
  verification: Promise<Verified>,
): Promise<Verified | { [Key in keyof Verified]?: undefined }> {
  try {
    const verified = await verification;
    return verified.verified ? verified : {};
  } catch {
    return {};
  }
}

/** Authenticators return the id that they were given with the passkey. */
const isOfMember = (userHandle: string | undefined, { member_id }: PasskeyRow): boolean =>
  userHandle === undefined || Buffer.from(userHandle, 'base64url').toString('utf8') === member_id;

async function newChallenge(db: Queryable, browserToken: string, memberId: string | null, now: Date) {
  const challenge = longRandomToken();
  const ends = later(now, PASSKEY_CHALLENGE_MS);
  await insertChallenge(db, sha256(challenge), sha256(browserToken), memberId, ends);
  return Uint8Array.from(Buffer.from(challenge, 'base64url'));
}

/** Takes it before anything is verified, so that a challenge allows one attempt. */
async function isChallengeTaken(
  db: Queryable,
  challenge: string,
  browserToken: string,
  memberId: string | null,
  now: Date,
): Promise<boolean> {
  const [taken] = await takeChallenge(db, sha256(challenge), sha256(browserToken), memberId, now);
  return taken !== undefined;
}

const audit = (tx: Queryable, memberId: string, action: string, id: string, now: Date) =>
  recordPlatformAudit(tx, now, { actor: actingMember(memberId), action, detail: { passkey_id: id } });
