import { readSettings } from '../../../businesses/sql.ts';
import type { PushResult } from '../../../contract/push.ts';
import { ApiError } from '../../../kit/errors.ts';
import { randomToken } from '../../../kit/ids.ts';
import { type AcceptDeps, asApiError } from '../../../push/accept.ts';
import { acceptFromMember } from '../../../push/acceptFromMember.ts';
import type { PushItem } from '../../../push/request.ts';

/** The idempotency key of one form, so that a second click or a reload pushes nothing again. */
export const newFormKey = (): string => `dashboard-${randomToken()}`;
export const isFormKey = (text: string): boolean => /^dashboard-[A-Za-z0-9_-]{22}$/.test(text);

/** A member's push: the API's own, with an audit entry instead of an API key. */
export async function pushAsMember(
  deps: Omit<AcceptDeps, 'render'>,
  memberId: string,
  push: Omit<PushItem, 'keyId'>,
): Promise<{ id: string; replayed: boolean }> {
  const [settings] = await readSettings(deps.pool, [push.businessId]);
  if (!settings?.active) throw new ApiError('business.inactive');
  let pushed: PushResult | null = null;
  const render = (result: PushResult): string => {
    pushed = result;
    return JSON.stringify(result);
  };
  const outcome = await acceptFromMember({ ...deps, render }, memberId, push).catch((error: unknown) => {
    throw asApiError(error);
  });
  if (outcome?.kind === 'error') throw outcome.error;
  if (outcome?.kind !== 'answer') throw new Error('a push that waits was deferred');
  const { id }: PushResult = pushed ?? JSON.parse(outcome.answer.body);
  return { id, replayed: outcome.answer.replayed };
}
