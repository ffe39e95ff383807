import type { Mode } from '../contract/channels.ts';
import type { Client, Pool } from '../db/pool.ts';
import { transaction } from '../db/transaction.ts';
import type { Clock } from '../kit/clock.ts';
import { newId } from '../kit/ids.ts';
import { DEFAULT_LANGUAGE, type Language } from '../language/languages.ts';
import { OPERATOR, recordAudit } from './audit.ts';
import { mintKey } from './keys.ts';
import { sends } from './settings.ts';
import { insertBusiness } from './sql.ts';

export interface NewBusiness {
  name: string;
  /** Null: every country except those that are closed to all businesses. */
  countries?: readonly string[] | null;
  credits?: number;
  smsMode?: Mode;
  whatsappMode?: Mode;
  contactEmail?: string | null;
  language?: Language;
}

/** Creates an account with the defaults: email on, paid channels on request, no warm-up, and a first key. */
export const createBusiness = (pool: Pool, clock: Clock, request: NewBusiness) =>
  transaction(pool, async (tx) => {
    const now = clock.now();
    const businessId = newId(now);
    await writeBusiness(tx, now, businessId, request);
    const firstKey = { businessId, mintedBy: null, name: 'First key', detach: false };
    const { id, key } = await mintKey(tx, now, firstKey);
    // The full key is not stored.
    return { businessId, keyId: id, apiKey: key };
  });

/** Returns false when the id is taken. */
export async function writeBusiness(
  tx: Client,
  now: Date,
  id: string,
  request: NewBusiness,
  actor: string = OPERATOR,
): Promise<boolean> {
  const { name, countries = null, credits = 0 } = request;
  const { smsMode = 'on_request', whatsappMode = 'on_request' } = request;
  const made = await insertBusiness(
    tx,
    id,
    name,
    smsMode,
    whatsappMode,
    sends(smsMode) ? now : null,
    countries,
    request.contactEmail ?? null,
    credits,
    newId(now),
    'Opening balance',
    now,
    request.language ?? DEFAULT_LANGUAGE,
  );
  if (made.length === 0) return false;
  await recordAudit(tx, now, { businessId: id, actor, action: 'business.created', detail: { credits } });
  return true;
}
