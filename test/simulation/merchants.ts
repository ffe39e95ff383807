import type { SimulatedBusiness } from './businesses.ts';
import type { ModelledMessage } from './messagesModel.ts';
import type { LeftRows } from './ordersModel.ts';
import { EMAILS, modelUpdateFor, NUMBERS, pushBody } from './pushBodies.ts';
import type { Simulation } from './simulation.ts';

/** A request of a merchant's program, retried with its key until it has a response. */
export interface MerchantRequest {
  business: SimulatedBusiness;
  scope: string;
  method: 'POST' | 'PUT' | 'DELETE' | 'GET';
  path: string;
  body: object | null;
  /** The Idempotency-Key; null where none is needed. */
  key: string | null;
  /** The effect of a commit on the model, for requests without a stored response. */
  effect?: () => void;
  /** Another request with the same key was in flight at the same time. */
  doubled: boolean;
  running: number;
  answered: boolean;
  /** What was committed before the first of the attempts that are running. */
  since: number;
  /** Called with a 422. */
  onRefused?: (body: string) => void;
}

export const newRequest = (
  business: SimulatedBusiness,
  scope: string,
  method: MerchantRequest['method'],
  path: string,
  rest: Partial<MerchantRequest> = {},
): MerchantRequest => ({
  business,
  scope,
  method,
  path,
  body: null,
  key: null,
  doubled: false,
  running: 0,
  answered: false,
  since: 0,
  ...rest,
});

/** Makes the call through any process, perhaps a second time while the first is in flight. */
export async function sendRequest(simulation: Simulation, request: MerchantRequest): Promise<void> {
  const { random } = simulation;
  const { business } = request;
  // A minted key may be revoked by now; then the response is a refusal.
  const minted = random.chance(0.3) && business.minted.length > 0 ? random.pick(business.minted) : null;
  const keyId = minted?.id ?? business.keyId;
  const revokedBefore = isRevoked(simulation, keyId);
  if (request.running === 0) request.since = simulation.commits;
  request.running += 1;
  if (request.running > 1) request.doubled = true;
  const process = simulation.anyProcess();
  simulation.note(`${process.name} is asked: ${request.method} ${request.path} ${request.key ?? ''}`);
  const again = (): void => {
    request.running -= 1;
    if (!request.answered) simulation.unanswered.push(request);
  };
  await simulation.start(
    `${request.scope} ${request.key ?? ''}`,
    process,
    async () => {
      const response = await simulation.testBed.app.inject({
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
      simulation.note(`${process.name} answers ${status} to ${request.scope} ${request.key ?? ''}`);
      const refused = status === 401;
      if (refused && !isRevoked(simulation, keyId)) simulation.fail(`a live key was refused: ${body}`);
      // 503: the database was unreachable, so the key was neither accepted nor refused.
      if (!refused && status !== 503 && revokedBefore) simulation.fail('a revoked key was let in');
      if (!checkResponse(simulation, request, status, body) || refused) return again();
      request.running -= 1;
      request.answered = true;
    },
    { ...(request.effect && { effect: request.effect }), lost: again },
  );
}

const isRevoked = (simulation: Simulation, keyId: string): boolean =>
  simulation.snapshot.keys.some(({ id, revoked }) => id === keyId && revoked);

/** Whether this is the expected response; otherwise the request is retried. */
function checkResponse(
  simulation: Simulation,
  request: MerchantRequest,
  status: number,
  body: string,
): boolean {
  if (status === 503) simulation.count('answered 503');
  if (status === 500) simulation.fail(`${request.scope} was answered with ${body}`);
  if (status === 401 || status >= 500) return false;
  if (body.includes('idempotency.request_in_progress')) {
    if (!request.doubled) simulation.fail(`${request.key} is said to be in progress, and nobody works on it`);
    simulation.count('in progress');
    return false;
  }
  if (body.includes('request.conflict')) return false;
  // Validation comes before the key, and `send_at` may be in the past by now.
  if (status === 422) {
    request.onRefused?.(body);
    return true;
  }
  const stored = simulation.snapshot.records.find(
    ({ business_id, scope, key, expires_at }) =>
      business_id === request.business.id &&
      scope === request.scope &&
      key === request.key &&
      // The record of a request that took a day to commit has expired by then.
      new Date(expires_at) > simulation.clock.now(),
  );
  const answer = request.scope === 'batch' ? storedBatch(simulation, request) : stored?.response;
  if (stored && answer !== body) simulation.fail(`${request.key} was answered otherwise than it is stored`);
  if (request.key !== null && !stored && status < 300 && !simulation.erasedSince(request))
    simulation.fail(`${request.key} was answered ${status} and nothing is stored`);
  return true;
}

/** A batch's answer as its items' records have it. */
function storedBatch({ snapshot }: Simulation, { business, key }: MerchantRequest): string {
  const parts = snapshot.records
    .filter((record) => record.business_id === business.id && record.key.startsWith(`${key}#`))
    .sort((one, other) => (one.key < other.key ? -1 : 1));
  const items = parts.map(({ status, response }, index) => {
    const part = JSON.parse(response);
    return status === 201
      ? { index, ok: true, result: part, error_code: null, detail: null }
      : { index, ok: false, result: null, error_code: part.error_code, detail: part.detail };
  });
  const succeeded = items.filter(({ ok }) => ok).length;
  return JSON.stringify({ items, succeeded, failed: items.length - succeeded });
}

/** Messages that were read: by chance alone, few of them are updated with an escalation. */
export const readUpdateables = ({ businesses }: Simulation) =>
  businesses.flatMap((business) =>
    business.messages
      .updateables()
      .filter(({ unread }) => !unread)
      .map((message) => ({ business, message })),
  );

export function updateRequestOf(simulation: Simulation): MerchantRequest {
  const { business, message } = simulation.random.pick(readUpdateables(simulation));
  return pushRequestOf(simulation, business, message);
}

export function pushRequestOf(
  simulation: Simulation,
  business = simulation.random.pick(simulation.businesses),
  updates?: ModelledMessage,
): MerchantRequest {
  const body = pushBody(simulation, business, updates);
  const key = newKey(simulation);
  simulation.onStoredResponse.set(`${business.id} push ${key}`, modelUpdateFor(simulation, business, body));
  return newRequest(business, 'push', 'POST', '/api/v1/messages', { body, key });
}

export function batchRequest(simulation: Simulation): MerchantRequest {
  const business = simulation.random.pick(simulation.businesses);
  const items = [0, 1, 2].map(() => pushBody(simulation, business));
  const key = newKey(simulation);
  items.forEach((body, index) => {
    simulation.onStoredResponse.set(
      `${business.id} push ${key}#${index}`,
      modelUpdateFor(simulation, business, body),
    );
  });
  return newRequest(business, 'batch', 'POST', '/api/v1/messages/batch', { body: { items }, key });
}

/** A request about an existing message; null when there is none. */
function aboutMessage(simulation: Simulation, scope: string, path: string): MerchantRequest | null {
  const business = simulation.random.pick(simulation.businesses);
  const ids = [...business.messages.byId.keys()];
  if (ids.length === 0) return null;
  const id = simulation.random.pick(ids);
  const key = newKey(simulation);
  if (scope === 'retract') {
    simulation.onStoredResponse.set(`${business.id} retract ${key}`, (response) => {
      const { retracted }: { retracted?: boolean } = JSON.parse(response);
      if (retracted !== true) return;
      business.messages.retract(id);
      business.orders.touch(business.messages.byId.get(id)?.reference ?? null, simulation.commits);
    });
  }
  return newRequest(business, scope, 'POST', `/api/v1/messages/${id}/${path}`, { key });
}

export const retractRequest = (simulation: Simulation): MerchantRequest | null =>
  aboutMessage(simulation, 'retract', 'retract');
export const resendSmsRequest = (simulation: Simulation): MerchantRequest | null =>
  aboutMessage(simulation, 'resend_sms', 'sms');
export const resendWhatsappRequest = (simulation: Simulation): MerchantRequest | null =>
  aboutMessage(simulation, 'resend_whatsapp', 'whatsapp');

const recipientPath = (email: string): string => `/api/v1/recipients/${encodeURIComponent(email)}`;

export function setPhoneRequest(simulation: Simulation): MerchantRequest {
  const business = simulation.random.pick(simulation.businesses);
  const email = simulation.random.pick(EMAILS);
  const phone = simulation.random.pick(NUMBERS);
  return newRequest(business, 'set phone', 'PUT', `${recipientPath(email)}/phone`, {
    body: { phone },
    effect: () => business.people.setPhone(email, phone),
  });
}

export function clearPhoneRequest(simulation: Simulation): MerchantRequest {
  const business = simulation.random.pick(simulation.businesses);
  const email = simulation.random.pick(EMAILS);
  return newRequest(business, 'clear phone', 'DELETE', `${recipientPath(email)}/phone`, {
    effect: () => business.people.clearPhone(email),
  });
}

export function eraseRequest(
  simulation: Simulation,
  business = simulation.random.pick(simulation.businesses),
  email = simulation.random.pick(EMAILS),
): MerchantRequest {
  const key = newKey(simulation);
  const request = newRequest(business, 'erase', 'POST', `${recipientPath(email)}/erase`, { key });
  simulation.onStoredResponse.set(`${business.id} erase ${key}`, () => {
    business.orders.erase(email, request.since, simulation.commits, rowsOf(simulation, business));
    business.people.erase(email);
    business.messages.erase(email);
    simulation.erasures += 1;
  });
  return request;
}

function rowsOf({ snapshot }: Simulation, { id }: SimulatedBusiness): LeftRows {
  const own = <Row extends { business_id: string }>(rows: readonly Row[]): Row[] =>
    rows.filter(({ business_id }) => business_id === id);
  return {
    shipments: own(snapshot.shipments),
    events: own(snapshot.tracking_events),
    named: own<LeftRows['named'][number] & { business_id: string }>([
      ...snapshot.order_recipients,
      ...snapshot.order_changes,
    ]),
  };
}

export function eraseWhatsappRequest(simulation: Simulation): MerchantRequest {
  const business = simulation.random.pick(simulation.businesses);
  const email = simulation.random.pick(EMAILS);
  const key = newKey(simulation);
  simulation.onStoredResponse.set(`${business.id} erase_whatsapp ${key}`, () =>
    business.people.eraseWhatsapp(email),
  );
  return newRequest(business, 'erase_whatsapp', 'POST', `${recipientPath(email)}/whatsapp/erase`, { key });
}

export const revokeKeyRequest = (simulation: Simulation): MerchantRequest | null => {
  const business = simulation.random.pick(simulation.businesses);
  if (business.minted.length === 0) return null;
  const { id } = simulation.random.pick(business.minted);
  return newRequest(business, 'revoke key', 'DELETE', `/api/v1/keys/${id}`);
};

export const newKey = (simulation: Simulation): string => `key-${simulation.nextNumber()}`;
