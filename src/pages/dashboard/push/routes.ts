import type { FastifyRequest } from 'fastify';
import { requestFingerprint } from '../../../api/fingerprint.ts';
import { readSettings } from '../../../businesses/sql.ts';
import type { PushResult } from '../../../contract/push.ts';
import { ApiError, sentenceOf, statusOf } from '../../../kit/errors.ts';
import { randomToken } from '../../../kit/ids.ts';
import { asApiError } from '../../../push/accept.ts';
import { acceptFromMember } from '../../../push/acceptFromMember.ts';
import type { PushItem } from '../../../push/request.ts';
import { sendHtml } from '../../kit/page.tsx';
import { formOf, queryOf, textIn } from '../../kit/request.ts';
import type { DashboardContext, ShopRoute } from '../context.ts';
import { get, goTo, onRefusal, post } from '../route.ts';
import { findCustomers } from '../search/find.ts';
import { filledIn } from './filledIn.tsx';
import { pushFormReader, typedPush } from './form.ts';
import { openPushPreview, previewFrameRoutes } from './frames.ts';
import { addressOptions, pushPage } from './views.tsx';

/** Longer than any address. */
const ADDRESS_MAX = 320;
const CUSTOMERS_SUGGESTED = 8;

/** Pushing by hand: a form, what it would do, and the push. */
export function pushRoutes(context: DashboardContext): ShopRoute[] {
  const { pool, clock, suggestions } = context;
  const readForm = pushFormReader(clock);
  const previewOf = openPushPreview(context);
  return [
    get('/push', 'message.push', async (visit, request) => {
      const known = await filledIn(pool, visit.shop.id, queryOf(request));
      return pushPage(visit, { ...stateOf(request), ...known });
    }),
    ...previewFrameRoutes(context),
    // Writes nothing; by POST, because it carries an address and a text.
    post('/push/preview', 'message.push', async (visit, request) => {
      const state = stateOf(request);
      const { checked } = readForm(state.typed);
      if ('faults' in checked) return pushPage(visit, { ...state, ...checked });
      const preview = await previewOf(visit, checked.request).catch(
        onRefusal(({ code }) => sentenceOf(code)),
      );
      return pushPage(visit, { ...state, preview });
    }),
    // Those whose address begins so, for the browser's own list.
    post('/push/customers', 'message.push', async ({ session, shop }, request, reply) => {
      const isSpent = suggestions.isSpent(session.id);
      suggestions.spend(session.id);
      const text = textIn(formOf(request), 'recipient_email', ADDRESS_MAX);
      const found =
        text === '' || isSpent ? [] : (await findCustomers(pool, shop.id, text, CUSTOMERS_SUGGESTED)).items;
      if (isSpent) reply.header('retry-after', 60);
      return { sent: sendHtml(reply, isSpent ? 429 : 200, addressOptions(found).toString()) };
    }),
    post('/push', 'message.push', async (visit, request) => {
      const state = stateOf(request);
      const { body, checked } = readForm(state.typed);
      if ('faults' in checked) return { ...pushPage(visit, { ...state, ...checked }), status: 422 };
      const pushed = pushAsMember(context, visit.session.memberId, {
        businessId: visit.shop.id,
        key: state.formKey,
        fingerprint: requestFingerprint(body),
        request: checked.request,
        bytes: 0,
        span: request.span,
      });
      return pushed.then(
        (id) => goTo(visit, `/messages/${id}`, 'pushed'),
        onRefusal(({ code }) => {
          const flash = { tone: 'bad', text: REFUSALS[code] ?? sentenceOf(code) } as const;
          return { ...pushPage(visit, state), flash, status: statusOf(code) };
        }),
      );
    }),
  ];
}

/** What was typed stays in the form, with its key, whatever comes of it. */
function stateOf(request: FastifyRequest) {
  const form = formOf(request);
  const given = form.get('key') ?? '';
  return { typed: typedPush(form), faults: {}, formKey: FORM_KEY.test(given) ? given : newFormKey() };
}

/** The idempotency key of one form, so that a second click or a reload pushes nothing again. */
const newFormKey = (): string => `dashboard-${randomToken()}`;
const FORM_KEY = /^dashboard-[A-Za-z0-9_-]{22}$/;

const REFUSALS: Partial<Record<ApiError['code'], string>> = {
  'idempotency.key_reused':
    'This form was pushed already, with another message. Open a new one to push again.',
};

/** A member's push: the API's own, with an audit entry instead of an API key. Answers the id of its message. */
async function pushAsMember(
  { pool, clock, hash, onEvents, onSends }: DashboardContext,
  memberId: string,
  push: Omit<PushItem, 'keyId'>,
): Promise<string> {
  const [settings] = await readSettings(pool, [push.businessId]);
  if (!settings?.active) throw new ApiError('business.inactive');
  const render = (result: PushResult): string => JSON.stringify(result);
  const deps = { pool, clock, hash, render, onEvents, onSendsOf: () => onSends() };
  const outcome = await acceptFromMember(deps, memberId, push).catch((error: unknown) => {
    throw asApiError(error);
  });
  if (outcome?.kind === 'error') throw outcome.error;
  if (outcome?.kind !== 'answer') throw new Error('a push that waits was deferred');
  const { id }: PushResult = JSON.parse(outcome.answer.body);
  return id;
}
