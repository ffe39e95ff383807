import type { FastifyRequest } from 'fastify';
import { createKey, revokeKey } from '../../../businesses/keys.ts';
import { listActiveWithUse } from '../../../businesses/keysSql.ts';
import { KEY_NAME_MAX } from '../../../config/limits.ts';
import { keyAccesses } from '../../../contract/keys.ts';
import { sentenceOf, statusOf } from '../../../kit/errors.ts';
import type { Action } from '../../../members/permissions.ts';
import type { Flashes } from '../../kit/flash.ts';
import { formOf, paramOf } from '../../kit/request.ts';
import { choiceField, EMPTY_FORM, lineField, type RefusedForm, readForm } from '../../kit/typedForm.ts';
import type { DashboardContext, ShopRoute, ShopVisit } from '../context.ts';
import { get, goTo, onRefusal, orNothingHere, post } from '../route.ts';
import { fallOf } from './tree.ts';
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
export function keyRoutes(context: DashboardContext): ShopRoute[] {
  const { pool, clock } = context;
  const fallOfNamed = async (visit: ShopVisit, request: FastifyRequest) =>
    fallOf(await listActiveWithUse(pool, visit.shop.id), paramOf(request, 'key_id'));
  const revoking = async (visit: ShopVisit, request: FastifyRequest): Promise<Action> =>
    (await fallOfNamed(visit, request))?.below.length ? 'key.revoke_branch' : 'key.manage';
  const creating = async (_visit: ShopVisit, request: FastifyRequest): Promise<Action> =>
    readForm(formOf(request), KEY_FORM).values?.access === 'full' ? 'key.create_full' : 'key.manage';

  return [
    get('/keys', { action: 'shop.view', flashes: FLASHES }, (visit) => showKeys(context, visit, EMPTY_FORM)),
    post('/keys', { action: 'key.manage', actionOf: creating }, (visit, request) =>
      createNamed(context, visit, request),
    ),
    get('/keys/:key_id/revoke', { action: 'key.manage', actionOf: revoking }, async (visit, request) => {
      return revokeKeyPage(visit, orNothingHere(await fallOfNamed(visit, request)));
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

const showKeys = async ({ pool }: DashboardContext, visit: ShopVisit, form: RefusedForm) =>
  keysPage(visit, await listActiveWithUse(pool, visit.shop.id), form);

async function createNamed(context: DashboardContext, visit: ShopVisit, request: FastifyRequest) {
  const { values, ...form } = readForm(formOf(request), KEY_FORM);
  if (values === null) return { ...(await showKeys(context, visit, form)), status: 422 };
  const created = createKey(context.pool, context.clock, {
    name: values.name === '' ? null : values.name,
    access: values.access,
    businessId: visit.shop.id,
    mintedBy: null,
    detach: false,
    actor: visit.actor,
  });
  return created.then(
    // Shown in this response and nowhere else: a redirect would need the secret in an address or in the database.
    (key) => ({ ...newKeyPage(visit, key), status: 201 }),
    onRefusal(async ({ code }) => {
      const flash = { tone: 'bad', text: sentenceOf(code) } as const;
      return { ...(await showKeys(context, visit, form)), flash, status: statusOf(code) };
    }),
  );
}
