import { DEMO_BUSINESS_ID } from '../businesses/demo.ts';
import { readSettings } from '../businesses/sql.ts';
import type { Pool } from '../db/pool.ts';
import { transaction } from '../db/transaction.ts';
import { addMember } from './members.ts';
import { deletePasskeysOf } from './passkeysSql.ts';
import { writeLink } from './signIn.ts';
import { deleteLinksOf, endSessionsOf, findShop, lockMember } from './sql.ts';

/** No mail can reach it: the domain is reserved for examples. */
export const DEMO_OWNER = 'owner@demo.example';

/** For the sandbox alone, which shows everything to everyone: its link signs any one browser in as the demo shop's owner. */
export const demoSignInToken = (pool: Pool, now: Date): Promise<string | null> =>
  transaction(pool, async (tx) => {
    const [demo] = await readSettings(tx, [DEMO_BUSINESS_ID]);
    if (!demo) return null;
    const [known] = await lockMember(tx, DEMO_OWNER);
    const [shop] = known ? await findShop(tx, DEMO_BUSINESS_ID, known.id) : [];
    const owner =
      known && shop?.role === 'owner'
        ? known
        : await addMember(tx, now, { businessId: DEMO_BUSINESS_ID, email: DEMO_OWNER, role: 'owner' });
    return writeLink(tx, owner.id, null, now);
  });

/** Where the sandbox is off, nobody may stay signed in, or come back, by a link that strangers could have got. */
export const endDemoSessions = (pool: Pool): Promise<void> =>
  transaction(pool, async (tx) => {
    const [owner] = await lockMember(tx, DEMO_OWNER);
    if (!owner) return;
    await endSessionsOf(tx, owner.id);
    await deleteLinksOf(tx, owner.id);
    await deletePasskeysOf(tx, owner.id);
  });
