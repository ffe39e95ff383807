import type { FastifyRequest } from 'fastify';
import { requestFingerprint } from '../../../api/fingerprint.ts';
import { readSettings } from '../../../businesses/sql.ts';
import type { PushPreview } from '../../../contract/preview.ts';
import type { PushResult } from '../../../contract/push.ts';
import { ApiError, sentenceOf, statusOf } from '../../../kit/errors.ts';
import { randomToken } from '../../../kit/ids.ts';
import { type AcceptDeps, asApiError } from '../../../push/accept.ts';
import { acceptFromMember } from '../../../push/acceptFromMember.ts';
import { previewPush } from '../../../push/preview.ts';
import type { PushItem, PushRequest } from '../../../push/request.ts';
import { formOf } from '../../kit/request.ts';
import type { DashboardContext, ShopRoute } from '../context.ts';
import { get, goTo, post } from '../route.ts';
import { pushFormReader, typedPush } from './form.ts';
import { pushPage } from './views.tsx';

/** Pushing by hand: a form, what it would do, and the push. */
export function pushRoutes(context: DashboardContext): ShopRoute[] {
  const { pool, clock, hash, site, onEvents, onSends } = context;
  const readForm = pushFormReader(clock);

  /** What was typed stays in the form, with its key, whatever comes of it. */
  const stateOf = (request: FastifyRequest) => {
    const form = formOf(request);
    const given = form.get('key') ?? '';
    return { typed: typedPush(form), faults: {}, formKey: isFormKey(given) ? given : newFormKey() };
  };

  const preview = async (businessId: string, request: PushRequest): Promise<PushPreview | string> => {
    try {
      return await previewPush({ pool, clock, hash, publicUrl: site.publicUrl }, businessId, request);
    } catch (error) {
      if (error instanceof ApiError) return sentenceOf(error.code);
      throw error;
    }
  };

  return [
    get('/push', 'message.push', async (visit, request) => pushPage(visit, stateOf(request))),
    // Writes nothing; by POST, because it carries an address and a text.
    post('/push/preview', 'message.push', async (visit, request) => {
      const state = stateOf(request);
      const { checked } = readForm(state.typed);
      if ('faults' in checked) return pushPage(visit, { ...state, ...checked });
      return pushPage(visit, { ...state, preview: await preview(visit.shop.id, checked.request) });
    }),
    post('/push', 'message.push', async (visit, request) => {
      const { shop, session } = visit;
      const state = stateOf(request);
      const { body, checked } = readForm(state.typed);
      if ('faults' in checked) return { ...pushPage(visit, { ...state, ...checked }), status: 422 };
      const deps = { pool, clock, hash, onEvents, onSendsOf: () => onSends() };
      try {
        const { id } = await pushAsMember(deps, session.memberId, {
          businessId: shop.id,
          key: state.formKey,
          fingerprint: requestFingerprint(body),
          request: checked.request,
          bytes: 0,
          span: request.span,
        });
        return goTo(visit, `/messages/${id}`, 'pushed');
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        const flash = { tone: 'bad', text: refusalWords(error) } as const;
        return { ...pushPage(visit, state), flash, status: statusOf(error.code) };
      }
    }),
  ];
}

function refusalWords({ code }: ApiError): string {
  if (code === 'idempotency.key_reused')
    return 'This form was pushed already, with another text. Open a new one to push again.';
  return sentenceOf(code);
}

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
