import { INVITATION_EVERY_MS } from '../config/limits.ts';
import type { Queryable } from '../db/statement.ts';
import { earlier } from '../kit/clock.ts';
import type { Hasher } from '../kit/seal.ts';
import { countInvitation } from './invitationsSql.ts';

/** A mail that tells a new member of a shop where to sign in. */
export interface Invitation {
  to: string;
  memberId: string;
  businessId: string;
  businessName: string;
}

/** Counts an invitation; false: the address had one already within a day, and gets no other. */
export async function mayInvite(
  { db, hash }: { db: Queryable; hash: Hasher },
  email: string,
  now: Date,
): Promise<boolean> {
  const [counted] = await countInvitation(db, hash('email', email), now, earlier(now, INVITATION_EVERY_MS));
  return counted !== undefined;
}
