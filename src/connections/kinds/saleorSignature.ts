import { createHmac } from 'node:crypto';
import { createLocalJWKSet, type FlattenedJWSInput, flattenedVerify, type LocalJWKSet } from 'jose';
import { isObject, parseJsonText } from '../../kit/json.ts';
import { constantTimeEqual } from '../../kit/seal.ts';
import type { Authenticity, Proof, PublicKey, RawCall } from './kind.ts';

/** Room for a key of 8,192 bits. */
const SIGNATURE_MAX = 2_048;
const KEY_ID_MAX = 200;
const MIN_KEY_BITS = 2_048;

/** Saleor signs the body with the webhook's secret key if it has one, otherwise with the store's private key. */
export async function verifySaleor(call: RawCall, proof: Proof): Promise<Authenticity> {
  const signature = call.header('saleor-signature') ?? '';
  if (signature === '' || signature.length > SIGNATURE_MAX) return 'refused';
  if (proof.secrets.some((secret) => constantTimeEqual(signature, hmacOf(secret, call.body))))
    return 'genuine';

  const jws = readDetached(signature);
  if (jws === null || proof.storeUrl === null) return 'refused';
  const keys = await proof.keysOf(proof.storeUrl, { refresh: false });
  if (await isSigned(jws, call.body, keys)) return 'genuine';
  const newKeys = await proof.keysOf(proof.storeUrl, { refresh: true });
  return newKeys !== keys && (await isSigned(jws, call.body, newKeys)) ? 'genuine' : 'refused';
}

const hmacOf = (secret: string, body: Buffer): string =>
  createHmac('sha256', secret).update(body).digest('hex');

interface DetachedJws {
  /** As it is signed. */
  protected: string;
  signature: string;
  keyId: string | undefined;
  /** Older versions of Saleor leave out `crit`, without which a library must not read `b64`. */
  hasCrit: boolean;
}

/** The only form that Saleor sends: RS256 over the body as it is. A token of the store, which the same key signs, is not of this form. */
function readDetached(text: string): DetachedJws | null {
  const [, encoded = '', signature = ''] = DETACHED.exec(text) ?? [];
  const header = parseJsonText(Buffer.from(encoded, 'base64url').toString('utf8'));
  if (!isObject(header)) return null;
  const { alg, b64, crit, kid } = header;
  if (alg !== 'RS256' || b64 !== false) return null;
  if (kid !== undefined && (typeof kid !== 'string' || kid.length > KEY_ID_MAX)) return null;
  const hasCrit = crit !== undefined;
  if (hasCrit && !(Array.isArray(crit) && crit.length === 1 && crit[0] === 'b64')) return null;
  return { protected: encoded, signature, keyId: kid, hasCrit };
}

const DETACHED = /^([A-Za-z0-9_-]+)\.\.([A-Za-z0-9_-]+)$/;

async function isSigned(jws: DetachedJws, body: Buffer, keys: readonly PublicKey[]): Promise<boolean> {
  const { protected: header, signature } = jws;
  const input = { protected: header, payload: body, signature };
  try {
    if (!jws.hasCrit) return await isSignedWithoutCrit(jws, input, keySetOf(keys));
    await flattenedVerify(input, keySetOf(keys), { algorithms: ['RS256'] });
    return true;
  } catch {
    // No key of this id, a key that is none, or another key's signature: all mean that these keys do not prove the call.
    return false;
  }
}

async function isSignedWithoutCrit(
  { keyId }: DetachedJws,
  input: FlattenedJWSInput & { protected: string; payload: Buffer },
  keySet: LocalJWKSet,
): Promise<boolean> {
  const key = await keySet({ alg: 'RS256', ...(keyId === undefined ? {} : { kid: keyId }) }, input);
  if (!('modulusLength' in key.algorithm) || Number(key.algorithm.modulusLength) < MIN_KEY_BITS) return false;
  return crypto.subtle.verify(
    'RSASSA-PKCS1-v1_5',
    key,
    Buffer.from(input.signature, 'base64url'),
    Buffer.concat([Buffer.from(`${input.protected}.`), input.payload]),
  );
}

/** Importing keys costs more than a check, so it is done once for as long as the same keys are used. */
const keySets = new WeakMap<readonly PublicKey[], LocalJWKSet>();

function keySetOf(keys: readonly PublicKey[]): LocalJWKSet {
  const known = keySets.get(keys);
  if (known) return known;
  const keySet = createLocalJWKSet({ keys: [...keys] });
  keySets.set(keys, keySet);
  return keySet;
}
