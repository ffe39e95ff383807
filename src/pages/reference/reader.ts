import type { FastifyRequest } from 'fastify';
import { callerSourceOf } from '../../api/localCaller.ts';
import { findCallers, keyHash } from '../../businesses/keys.ts';
import { type KeyWithUse, listActiveWithUse } from '../../businesses/keysSql.ts';
import type { Pool } from '../../db/pool.ts';
import type { Clock } from '../../kit/clock.ts';
import { isAllowed } from '../../members/permissions.ts';
import { memberSessionOf, readShopOf } from '../../members/session.ts';
import { lastUsedShopOf } from '../../members/sql.ts';
import { dashboardCookies } from '../dashboard/cookies.ts';
import type { Site } from '../kit/page.tsx';
import { readCookie } from '../kit/request.ts';
import { mayEnter, type SandboxAccess } from '../sandbox/guard.ts';
import type { ExampleKey } from './examples/call.ts';

/** Who reads the reference while signed in, and the key that the examples then name. */
export interface SignedInReader {
  shop: { id: string; name: string };
  /** The key of the shop that was used last; null: it has none. */
  key: Pick<KeyWithUse, 'name' | 'masked'> | null;
  mayCreateKeys: boolean;
  exampleKey: ExampleKey;
}

interface ReaderDeps {
  pool: Pool;
  clock: Clock;
  site: Site;
  access: SandboxAccess;
  /** The demo business's key, which anyone with access to the sandbox can see; null if there is none. */
  apiKeyHint?: () => string | null;
}

export type ReadReader = (request: FastifyRequest) => Promise<SignedInReader | null>;

/**
 * Keys are stored hashed, so the examples can hold a whole key only where it is shown anyway: the demo's, in the sandbox. Any other
 * key is named by its last letters, as on the page of keys. Null: nobody is signed in, or the member has no shop.
 */
export function createReadReader({ pool, clock, site, access, apiKeyHint }: ReaderDeps): ReadReader {
  const cookies = dashboardCookies(site.publicUrl);
  return async (request) => {
    const now = clock.now();
    const token = readCookie(request.headers.cookie, cookies.session);
    // Reading the reference does not prolong the session.
    const session = await memberSessionOf(pool, token, now, { isUse: false });
    const [last] = session === null ? [] : await lastUsedShopOf(pool, session.memberId);
    if (!session || !last) return null;
    const shop = await readShopOf(pool, session, last.business_id, now, { isUse: false });
    if (!shop?.role) return null;
    const key = lastUsed(await listActiveWithUse(pool, shop.id));
    const maySeeHint = site.sandbox && mayEnter(callerSourceOf(request), access);
    const demoKey = maySeeHint ? (apiKeyHint?.() ?? null) : null;
    return {
      shop: { id: shop.id, name: shop.name },
      key,
      mayCreateKeys: isAllowed(shop.role, 'key.manage'),
      exampleKey:
        demoKey !== null && (await isKeyOf(pool, demoKey, shop.id))
          ? { apiKey: demoKey, note: null }
          : { apiKey: null, note: key && `WAYPOST_API_KEY: ${oneLine(key.name)}, ${key.masked}` },
    };
  };
}

/** The one whose use is the latest; of those that were never used, the newest. */
const lastUsed = (keys: readonly KeyWithUse[]): KeyWithUse | null =>
  keys.reduce<KeyWithUse | null>(
    (last, key) => (last === null || usedAt(key) >= usedAt(last) ? key : last),
    null,
  );
const usedAt = ({ last_used_at }: KeyWithUse): number => last_used_at?.getTime() ?? 0;

async function isKeyOf(pool: Pool, key: string, businessId: string): Promise<boolean> {
  const [caller] = await findCallers(pool, [keyHash(key)]);
  return caller?.businessId === businessId;
}

/** A comment in code ends with its line, whatever a key is called. */
const oneLine = (name: string): string => name.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ');
