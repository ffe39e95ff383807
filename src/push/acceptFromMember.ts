import { actingMember, recordAudit } from '../businesses/audit.ts';
import { type AcceptDeps, commitGroup, lockAndPreload } from './accept.ts';
import { classify } from './classify.ts';
import { decideGroup } from './decideGroup.ts';
import type { PushOutcome } from './outcomes.ts';
import type { PushItem } from './request.ts';

/**
 * A push by hand. Its member is known by a session instead of an API key. The audit entry is in the transaction of the push, so that
 * neither is there without the other; a replay writes nothing.
 */
export async function acceptFromMember(
  deps: AcceptDeps,
  memberId: string,
  push: Omit<PushItem, 'keyId' | 'by'>,
): Promise<PushOutcome | undefined> {
  const actor = actingMember(memberId);
  const items = [{ ...push, keyId: null, by: actor }];
  const [outcome] = await commitGroup(deps, items, async (tx) => {
    const group = await lockAndPreload(tx, deps, items, { wait: true, callers: [] });
    const classified = classify(items, group.locks, group.records, () => null);
    return decideGroup(tx, deps, items, group, classified, async (_, decided, now) => {
      for (const { decision } of decided)
        await recordAudit(tx, now, {
          businessId: decision.businessId,
          actor,
          action: 'message.pushed',
          // The message's id stands for its recipient, whom no entry's detail may name.
          detail: { message_id: decision.message.id, created: decision.created },
        });
      return [];
    });
  });
  return outcome;
}
