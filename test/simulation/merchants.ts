import type { Business } from './businesses.ts';
import { EMAILS, learns, NUMBERS, pushBody } from './pushBodies.ts';
import type { World } from './world.ts';

/** A request of a merchant's program. It is repeated, with its key, until it is answered. */
export interface Asked {
  business: Business;
  scope: string;
  method: 'POST' | 'PUT' | 'DELETE' | 'GET';
  path: string;
  body: object | null;
  /** Its Idempotency-Key; null where none is needed. */
  key: string | null;
  /** What a commit means to the model, where no stored answer tells. */
  effect?: () => void;
  /** Another request with the same key was under way at the same time. */
  doubled: boolean;
  running: number;
  answered: boolean;
}

const asked = (
  business: Business,
  scope: string,
  method: Asked['method'],
  path: string,
  rest: Partial<Asked> = {},
): Asked => ({
  business,
  scope,
  method,
  path,
  body: null,
  key: null,
  doubled: false,
  running: 0,
  answered: false,
  ...rest,
});

/** Makes the call through any process, perhaps a second time while the first is under way. */
export async function ask(world: World, request: Asked): Promise<void> {
  const { random } = world;
  const { business } = request;
  // A minted key may be revoked by now, which is then what it is told.
  const minted = random.chance(0.3) && business.minted.length > 0 ? random.pick(business.minted) : null;
  const keyId = minted?.id ?? business.keyId;
  const revokedBefore = isRevoked(world, keyId);
  request.running += 1;
  if (request.running > 1) request.doubled = true;
  const process = world.anyProcess();
  world.note(`${process.name} is asked: ${request.method} ${request.path} ${request.key ?? ''}`);
  const again = (): void => {
    request.running -= 1;
    if (!request.answered) world.owed.push(request);
  };
  await world.start(
    `${request.scope} ${request.key ?? ''}`,
    process,
    async () => {
      const response = await world.stage.app.inject({
        method: request.method,
        url: request.path,
        headers: {
          authorization: `Bearer ${minted?.key ?? business.apiKey}`,
          ...(request.body && { 'content-type': 'application/json' }),
          ...(request.key !== null && { 'idempotency-key': request.key }),
        },
        ...(request.body && { payload: JSON.stringify(request.body) }),
      });
      const { statusCode: status, body } = response;
      world.note(`${process.name} answers ${status} to ${request.scope} ${request.key ?? ''}`);
      const refused = status === 401;
      if (refused && !isRevoked(world, keyId)) world.fail(`a live key was refused: ${body}`);
      // 503: the store was out of reach, and nobody was let in or refused.
      if (!refused && status !== 503 && revokedBefore) world.fail('a revoked key was let in');
      if (!judge(world, request, status, body) || refused) return again();
      request.running -= 1;
      request.answered = true;
    },
    { ...(request.effect && { effect: request.effect }), lost: again },
  );
}

const isRevoked = (world: World, keyId: string): boolean =>
  world.snapshot.keys.some(({ id, revoked }) => id === keyId && revoked);

/** Whether this is an answer, and the one that is due; otherwise it is asked again. */
function judge(world: World, request: Asked, status: number, body: string): boolean {
  if (status === 503) world.count('answered 503');
  if (status === 500) world.fail(`${request.scope} was answered with ${body}`);
  if (status === 401 || status >= 500) return false;
  if (body.includes('idempotency.request_in_progress')) {
    if (!request.doubled) world.fail(`${request.key} is said to be in progress, and nobody works on it`);
    world.count('in progress');
    return false;
  }
  if (body.includes('request.conflict')) return false;
  // Validity comes before the key, and a moment to send at may be over by now.
  if (status === 422) return true;
  const stored = world.snapshot.records.find(
    ({ business_id, scope, key, expires_at }) =>
      business_id === request.business.id &&
      scope === request.scope &&
      key === request.key &&
      // A request that took a day to be written is forgotten as soon as it is.
      new Date(expires_at) > world.clock.now(),
  );
  if (stored && stored.response !== body)
    world.fail(`${request.key} was answered otherwise than it is stored`);
  if (request.key !== null && !stored && status < 300 && !world.erasedSince(request))
    world.fail(`${request.key} was answered ${status} and nothing is stored`);
  return true;
}

export function push(world: World): Asked {
  const business = world.random.pick(world.businesses);
  const body = pushBody(world, business);
  const key = newKey(world);
  world.onRecord.set(`${business.id} push ${key}`, learns(world, business, body));
  return asked(business, 'push', 'POST', '/api/v1/messages', { body, key });
}

export function batch(world: World): Asked {
  const business = world.random.pick(world.businesses);
  const items = [0, 1, 2].map(() => pushBody(world, business));
  const key = newKey(world);
  items.forEach((body, index) => {
    world.onRecord.set(`${business.id} push ${key}#${index}`, learns(world, business, body));
  });
  return asked(business, 'batch', 'POST', '/api/v1/messages/batch', { body: { items }, key });
}

/** Something about a message that exists; null when there is none. */
function aboutMessage(world: World, scope: string, path: string): Asked | null {
  const business = world.random.pick(world.businesses);
  const ids = [...business.messages.byId.keys()];
  if (ids.length === 0) return null;
  const id = world.random.pick(ids);
  const key = newKey(world);
  if (scope === 'retract') {
    world.onRecord.set(`${business.id} retract ${key}`, (response) => {
      const { retracted }: { retracted?: boolean } = JSON.parse(response);
      if (retracted === true) business.messages.retract(id);
    });
  }
  return asked(business, scope, 'POST', `/api/v1/messages/${id}/${path}`, { key });
}

export const retract = (world: World): Asked | null => aboutMessage(world, 'retract', 'retract');
export const resendSms = (world: World): Asked | null => aboutMessage(world, 'resend_sms', 'sms');
export const resendWhatsapp = (world: World): Asked | null =>
  aboutMessage(world, 'resend_whatsapp', 'whatsapp');

const recipientPath = (email: string): string => `/api/v1/recipients/${encodeURIComponent(email)}`;

export function setPhone(world: World): Asked {
  const business = world.random.pick(world.businesses);
  const email = world.random.pick(EMAILS);
  const phone = world.random.pick(NUMBERS);
  return asked(business, 'set phone', 'PUT', `${recipientPath(email)}/phone`, {
    body: { phone },
    effect: () => business.people.setPhone(email, phone),
  });
}

export function clearPhone(world: World): Asked {
  const business = world.random.pick(world.businesses);
  const email = world.random.pick(EMAILS);
  return asked(business, 'clear phone', 'DELETE', `${recipientPath(email)}/phone`, {
    effect: () => business.people.clearPhone(email),
  });
}

export function erase(
  world: World,
  business = world.random.pick(world.businesses),
  email = world.random.pick(EMAILS),
): Asked {
  const key = newKey(world);
  world.onRecord.set(`${business.id} erase ${key}`, () => {
    business.people.erase(email);
    business.messages.erase(email);
    world.erasures += 1;
  });
  return asked(business, 'erase', 'POST', `${recipientPath(email)}/erase`, { key });
}

export function eraseWhatsapp(world: World): Asked {
  const business = world.random.pick(world.businesses);
  const email = world.random.pick(EMAILS);
  const key = newKey(world);
  world.onRecord.set(`${business.id} erase_whatsapp ${key}`, () => business.people.eraseWhatsapp(email));
  return asked(business, 'erase_whatsapp', 'POST', `${recipientPath(email)}/whatsapp/erase`, { key });
}

export const revokeKey = (world: World): Asked | null => {
  const business = world.random.pick(world.businesses);
  if (business.minted.length === 0) return null;
  const { id } = world.random.pick(business.minted);
  return asked(business, 'revoke key', 'DELETE', `/api/v1/keys/${id}`);
};

const newKey = (world: World): string => `key-${world.nextNumber()}`;
