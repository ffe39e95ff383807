import type { FastifyReply, FastifyRequest } from 'fastify';
import { requestFingerprint } from '../../../api/fingerprint.ts';
import type { PushPreview } from '../../../contract/preview.ts';
import { ApiError, sentenceOf, statusOf } from '../../../kit/errors.ts';
import { previewPush } from '../../../push/preview.ts';
import type { PushRequest } from '../../../push/request.ts';
import { formOf } from '../../kit/request.ts';
import { type DashboardContext, type ShopRoute, type ShopVisit, sendDashboardPage } from '../context.ts';
import { get, post } from '../route.ts';
import { isFormKey, newFormKey, pushAsMember } from './actions.ts';
import { pushFormReader, typedPush } from './form.ts';
import { type PushPageProps, pushPage } from './views.tsx';

/** Pushing by hand: a form, what it would do, and the push. */
export function pushRoutes(context: DashboardContext): ShopRoute[] {
  const { pool, clock, hash, site, onEvents, onSends } = context;
  const readForm = pushFormReader(clock);
  const send = (
    reply: FastifyReply,
    status: number,
    visit: ShopVisit,
    state: Omit<PushPageProps, 'site' | 'visit'>,
  ): FastifyReply => sendDashboardPage(reply, status, pushPage({ site, visit, ...state }));

  /** What was typed stays in the form, with its key, whatever comes of it. */
  const stateOf = (request: FastifyRequest) => {
    const form = formOf(request);
    const given = form.get('key') ?? '';
    return { typed: typedPush(form), formKey: isFormKey(given) ? given : newFormKey() };
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
    get('/dashboard/:business_id/push', 'message.push', async (visit, _request, reply) =>
      send(reply, 200, visit, { typed: typedPush(new URLSearchParams()), formKey: newFormKey() }),
    ),
    // Writes nothing; by POST, because it carries an address and a text.
    post('/dashboard/:business_id/push/preview', 'message.push', async (visit, request, reply) => {
      const state = stateOf(request);
      const { checked } = readForm(state.typed);
      if ('faults' in checked) return send(reply, 200, visit, { ...state, faults: checked.faults });
      return send(reply, 200, visit, { ...state, preview: await preview(visit.shop.id, checked.request) });
    }),
    post('/dashboard/:business_id/push', 'message.push', async (visit, request, reply) => {
      const { shop, session } = visit;
      const state = stateOf(request);
      const { body, checked } = readForm(state.typed);
      if ('faults' in checked) return send(reply, 422, visit, { ...state, faults: checked.faults });
      try {
        const { id } = await pushAsMember(
          { pool, clock, hash, onEvents, onSendsOf: () => onSends() },
          session.memberId,
          {
            businessId: shop.id,
            key: state.formKey,
            fingerprint: requestFingerprint(body),
            request: checked.request,
            bytes: 0,
            span: request.span,
          },
        );
        return reply.redirect(site.to(`/dashboard/${shop.id}/messages/${id}?flash=pushed`), 303);
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        return send(reply, statusOf(error.code), visit, { ...state, refused: refusalWords(error) });
      }
    }),
  ];
}

function refusalWords({ code }: ApiError): string {
  if (code === 'idempotency.key_reused')
    return 'This form was pushed already, with another text. Open a new one to push again.';
  return sentenceOf(code);
}
