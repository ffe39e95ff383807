import { createLog } from '../kit/log.ts';
import type { Hasher } from '../kit/seal.ts';
import { mayInvite } from '../members/invitation.ts';
import type { MemberRow } from '../members/sql.ts';
import { requireBusiness } from './businessView.ts';
import type { Cli, OpenDatabase } from './command.ts';

/** Mails an invitation to a new member of a business, and says in a few words what became of it. */
export async function mailInvitation(
  { config }: Cli,
  { pool, clock, secretKeys }: OpenDatabase,
  hash: Hasher,
  { businessId, member: { id: memberId, email: to } }: { businessId: string; member: MemberRow },
): Promise<string> {
  const publicUrl = config.publicUrl ?? `http://localhost:${config.port}`;
  const tellThem = `tell them to sign in at ${publicUrl}/dashboard`;
  if (!(await mayInvite({ db: pool, hash }, to, clock.now())))
    return `none, since they had one within a day: ${tellThem}`;
  const { name: businessName } = await requireBusiness(pool, businessId);
  // Loaded here: no other command needs the clients of the providers.
  const [{ openMemberMail }, { createHttpClient }, { createMetrics }] = await Promise.all([
    import('../server/memberMail.ts'),
    import('../providers/http.ts'),
    import('../api/metrics.ts'),
  ]);
  const http = createHttpClient();
  const mail = openMemberMail({
    config,
    pool,
    clock,
    publicUrl,
    http,
    log: createLog('silent'),
    secretKeys: await secretKeys(),
    metrics: createMetrics(),
    tracing: null,
  });
  try {
    const isSent = await mail.sendInvitation({ to, memberId, businessId, businessName });
    return isSent ? 'sent' : `not accepted by the email provider: ${tellThem}`;
  } finally {
    await mail.close();
    await http.close();
  }
}
