import type { FastifyRequest } from 'fastify';
import { createKey, revokeKey } from '../../../businesses/keys.ts';
import { type KeyWithUse, listActiveWithUse } from '../../../businesses/keysSql.ts';
import { KEY_NAME_MAX } from '../../../config/limits.ts';
import { keyAccesses } from '../../../contract/keys.ts';
import { ApiError, sentenceOf, statusOf } from '../../../kit/errors.ts';
import type { Action } from '../../../members/permissions.ts';
import type { Flashes } from '../../kit/flash.ts';
import { formOf, paramOf } from '../../kit/request.ts';
import { choiceField, EMPTY_FORM, lineField, type RefusedForm, readForm } from '../../kit/typedForm.ts';
import type { DashboardContext, ShopRoute, ShopVisit } from '../context.ts';
import type { Page } from '../layout.tsx';
import { get, goTo, nothingHere, post } from '../route.ts';
import { type FallOfKey, fallOf } from './tree.ts';
import { keysPage, newKeyPage, revokeKeyPage } from './views.tsx';

const FLASHES = {
  revoked: ['good', 'The key was revoked. Calls with it are refused from now on.'],
  revoked_with_children: [
    'good',
    'The key and those below it were revoked. Calls with them are refused from now on.',
  ],
} satisfies Flashes;

/** A blank name is allowed, as in the API. */
const KEY_FORM = {
  name: lineField(KEY_NAME_MAX),
  access: choiceField(keyAccesses, 'This access is not known. Choose one of the list.', 'full'),
};

/** The shop's API keys. Only their masked form is known here, except in the response that creates one. */
export function keyRoutes({ pool, clock }: DashboardContext): ShopRoute[] {
  const showKeys = async (visit: ShopVisit, form: RefusedForm): Promise<Page> =>
    keysPage(visit, await listActiveWithUse(pool, visit.shop.id), form);
  const fallOfNamed = async (
    visit: ShopVisit,
    request: FastifyRequest,
  ): Promise<FallOfKey<KeyWithUse> | null> =>
    fallOf(await listActiveWithUse(pool, visit.shop.id), paramOf(request, 'key_id'));
  const revoking = async (visit: ShopVisit, request: FastifyRequest): Promise<Action> =>
    (await fallOfNamed(visit, request))?.below.length ? 'key.revoke_branch' : 'key.manage';
  const creating = async (_visit: ShopVisit, request: FastifyRequest): Promise<Action> =>
    readForm(formOf(request), KEY_FORM).values?.access === 'full' ? 'key.create_full' : 'key.manage';

  return [
    get('/keys', { action: 'shop.view', flashes: FLASHES }, (visit) => showKeys(visit, EMPTY_FORM)),
    post('/keys', { action: 'key.manage', actionOf: creating }, async (visit, request) => {
      const { values, ...form } = readForm(formOf(request), KEY_FORM);
      if (values === null) return { ...(await showKeys(visit, form)), status: 422 };
      try {
        const key = await createKey(pool, clock, {
          name: values.name === '' ? null : values.name,
          access: values.access,
          businessId: visit.shop.id,
          mintedBy: null,
          detach: false,
          actor: visit.actor,
        });
        // Shown in this response and nowhere else: a redirect would need the secret in an address or in the database.
        return { ...newKeyPage(visit, key), status: 201 };
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        const page = await showKeys(visit, { ...form, faults: { form: sentenceOf(error.code) } });
        return { ...page, status: statusOf(error.code) };
      }
    }),
    get('/keys/:key_id/revoke', { action: 'key.manage', actionOf: revoking }, async (visit, request) => {
      const fall = await fallOfNamed(visit, request);
      if (fall === null) throw nothingHere();
      return revokeKeyPage(visit, fall);
    }),
    post('/keys/:key_id/revoke', { action: 'key.manage', actionOf: revoking }, async (visit, request) => {
      // A key that was revoked in the meantime is not found.
      const revoked = await revokeKey(pool, clock, {
        businessId: visit.shop.id,
        keyId: paramOf(request, 'key_id'),
        revokedBy: null,
        actor: visit.actor,
      });
      const flash: keyof typeof FLASHES = revoked.length === 1 ? 'revoked' : 'revoked_with_children';
      return goTo(visit, '/keys', flash);
    }),
  ];
}
