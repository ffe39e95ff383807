import type { FastifyReply, FastifyRequest } from 'fastify';
import { actingMember } from '../../../businesses/audit.ts';
import { createKey, revokeKey } from '../../../businesses/keys.ts';
import { type KeyWithUse, listActiveWithUse } from '../../../businesses/keysSql.ts';
import { KEY_NAME_MAX } from '../../../config/limits.ts';
import { type KeyAccess, keyAccesses } from '../../../contract/keys.ts';
import { ApiError, sentenceOf, statusOf } from '../../../kit/errors.ts';
import type { Action } from '../../../members/permissions.ts';
import { type Flashes, flashIn } from '../../kit/flash.ts';
import { formOf, paramOf } from '../../kit/request.ts';
import { type DashboardContext, type ShopRoute, type ShopVisit, sendDashboardPage } from '../context.ts';
import { get, nothingHere, post } from '../route.ts';
import { revokeKeyPage } from './revoke.tsx';
import { type FallOfKey, fallOf } from './tree.ts';
import { type KeyFormFaults, keysPage, newKeyPage } from './views.tsx';

const FLASHES = {
  revoked: ['good', 'The key was revoked. Calls with it are refused from now on.'],
  revoked_with_children: [
    'good',
    'The key and those below it were revoked. Calls with them are refused from now on.',
  ],
} satisfies Flashes;

/** The shop's API keys. Only their masked form is known here, except in the response that creates one. */
export function keyRoutes({ pool, clock, site }: DashboardContext): ShopRoute[] {
  const pathOf = ({ shop }: ShopVisit): string => `/dashboard/${shop.id}/keys`;
  const revokePath = '/dashboard/:business_id/keys/:key_id/revoke';

  const fallOfAsked = async (
    visit: ShopVisit,
    request: FastifyRequest,
  ): Promise<FallOfKey<KeyWithUse> | null> =>
    fallOf(await listActiveWithUse(pool, visit.shop.id), paramOf(request, 'key_id'));
  const revoking = async (visit: ShopVisit, request: FastifyRequest): Promise<Action> =>
    (await fallOfAsked(visit, request))?.below.length ? 'key.revoke_branch' : 'key.manage';

  return [
    get('/dashboard/:business_id/keys', 'shop.view', async (visit, request, reply) =>
      sendKeys(visit, reply, 200, { flash: flashIn(request, FLASHES) }),
    ),
    post(
      '/dashboard/:business_id/keys',
      {
        action: 'key.manage',
        async actionOf(_visit, request) {
          const asked = keyFrom(formOf(request));
          return 'access' in asked && asked.access === 'full' ? 'key.create_full' : 'key.manage';
        },
      },
      async (visit, request, reply) => {
        const asked = keyFrom(formOf(request));
        if ('faults' in asked) return sendKeys(visit, reply, 422, { ...asked, flash: null });
        try {
          const key = await createKey(pool, clock, {
            ...asked,
            businessId: visit.shop.id,
            mintedBy: null,
            detach: false,
            actor: actingMember(visit.session.memberId),
          });
          // Shown in this response and nowhere else: a redirect would need the secret in an address or in the database.
          return sendDashboardPage(reply, 201, newKeyPage({ site, visit, key }));
        } catch (error) {
          if (!(error instanceof ApiError)) throw error;
          const faults = { form: sentenceOf(error.code) };
          return sendKeys(visit, reply, statusOf(error.code), { faults, flash: null });
        }
      },
    ),
    get(revokePath, { action: 'key.manage', actionOf: revoking }, async (visit, request, reply) => {
      const fall = await fallOfAsked(visit, request);
      if (fall === null) throw nothingHere();
      return sendDashboardPage(reply, 200, revokeKeyPage({ site, visit, fall }));
    }),
    post(revokePath, { action: 'key.manage', actionOf: revoking }, async (visit, request, reply) => {
      // A key that was revoked in the meantime is not found.
      const revoked = await revokeKey(pool, clock, {
        businessId: visit.shop.id,
        keyId: paramOf(request, 'key_id'),
        revokedBy: null,
        actor: actingMember(visit.session.memberId),
      });
      const flash = revoked.length === 1 ? 'revoked' : 'revoked_with_children';
      return reply.redirect(site.to(`${pathOf(visit)}?flash=${flash}`), 303);
    }),
  ];

  async function sendKeys(
    visit: ShopVisit,
    reply: FastifyReply,
    status: number,
    shown: Pick<Parameters<typeof keysPage>[0], 'flash' | 'faults'>,
  ): Promise<FastifyReply> {
    const keys = await listActiveWithUse(pool, visit.shop.id);
    return sendDashboardPage(reply, status, keysPage({ site, visit, keys, ...shown }));
  }
}

interface AskedKey {
  name: string | null;
  access: KeyAccess;
}

/** A blank name is allowed, as in the API. */
function keyFrom(form: URLSearchParams): AskedKey | { faults: KeyFormFaults } {
  const name = (form.get('name') ?? '').trim();
  const access = keyAccesses.find((one) => one === (form.get('access') ?? 'full'));
  if ([...name].length > KEY_NAME_MAX || /[\p{Cc}\p{Cs}]/u.test(name))
    return { faults: { name: `One line of at most ${KEY_NAME_MAX} characters.` } };
  if (access === undefined) return { faults: { form: 'This access is not known. Choose one of the list.' } };
  return { name: name === '' ? null : name, access };
}
