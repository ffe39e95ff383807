import type { FastifyRequest } from 'fastify';
import {
  addConnection,
  changeConnection,
  removeConnection,
  rotateSecret,
} from '../../../connections/connections.ts';
import { isStoreKind, kindOf } from '../../../connections/kinds.ts';
import { needsOf } from '../../../connections/needs.ts';
import { runAgain } from '../../../connections/run.ts';
import { CONNECTION_STATUSES, type ConnectionStatus } from '../../../connections/settings.ts';
import { OperatorError } from '../../../kit/errors.ts';
import { formOf, idFrom, paramOf, withQuery } from '../../kit/request.ts';
import { lineField, readForm } from '../../kit/typedForm.ts';
import type { Answer, DashboardContext, ShopRoute, ShopVisit } from '../context.ts';
import { connectionGone } from '../notices.ts';
import { get, goTo, nothingHere, onError, orNothingHere, post } from '../route.ts';
import { switchPage } from './connection.tsx';
import { readReach, readSettingsForm, SECRET_MAX } from './forms.ts';
import { statusWords } from './reads.ts';
import {
  BELOW,
  type ConnectionFlash,
  kindIn,
  type OnConnection,
  onConnection,
  showSetup,
  showStatuses,
} from './routes.ts';
import { connectionSettingsPage, newSecretPage, removePage, rotateSecretPage } from './settings.tsx';
import { newConnectionPage } from './views.tsx';

const NEW = '/connections/new/:kind';

/** What owners do with connections; members run a call again. */
export function connectionActionRoutes(context: DashboardContext): ShopRoute[] {
  const { pool, clock, sealer } = context;
  const deps = { pool, clock, sealer };
  const on = (handle: (on: OnConnection) => Promise<Answer>) => onConnection(context, handle);
  const manage = 'connection.manage';

  return [
    post(NEW, manage, (visit, request) => addOne(context, visit, request)),
    get(
      `${BELOW}/switch/:to`,
      manage,
      on(async ({ visit, connection, request }) => switchPage(visit, connection, statusIn(request))),
    ),
    post(
      `${BELOW}/switch/:to`,
      manage,
      on(async (found) => {
        const { visit, connection, request } = found;
        const status = statusIn(request);
        if (status === connection.status) return back(found, '', 'same');
        await changeConnection(deps, connection, { status }, visit.actor);
        return back(found, '', status);
      }),
    ),
    post(
      `${BELOW}/statuses`,
      manage,
      on((found) => saveStatuses(context, found)),
    ),
    post(
      `${BELOW}/settings`,
      manage,
      on((found) => saveSettings(context, found)),
    ),
    post(
      `${BELOW}/secret`,
      manage,
      on(async (found) => {
        const secret = secretIn(found.request);
        if (secret === null) return back(found, '/setup', 'same');
        await changeConnection(deps, found.connection, { secret }, found.visit.actor);
        return back(found, '/setup', 'secret_saved');
      }),
    ),
    get(
      `${BELOW}/rotate`,
      manage,
      on(async ({ visit, connection }) => rotateSecretPage(visit, connection)),
    ),
    post(
      `${BELOW}/rotate`,
      manage,
      on((found) => rotate(context, found)),
    ),
    get(
      `${BELOW}/remove`,
      'connection.remove',
      on(async ({ visit, connection }) => removePage(visit, connection)),
    ),
    post(
      `${BELOW}/remove`,
      'connection.remove',
      on(async ({ visit, connection }) => {
        await removeConnection(deps, connection, visit.actor);
        return goTo(visit, '/connections', 'removed');
      }),
    ),
    post(
      `${BELOW}/calls/:call_id/run`,
      'connection.run',
      on((found) => runOne(context, found)),
    ),
  ];
}

const back = ({ visit, connection }: OnConnection, page: string, flash: ConnectionFlash) =>
  goTo(visit, `/connections/${connection.id}${page}`, flash);

function statusIn(request: FastifyRequest): ConnectionStatus {
  return orNothingHere(CONNECTION_STATUSES.find((one) => one === paramOf(request, 'to')));
}

/** Null: none was typed, or none that could be one. */
const secretIn = (request: FastifyRequest): string | null =>
  readForm(formOf(request), { secret: lineField(SECRET_MAX) }).values?.secret || null;

async function addOne(context: DashboardContext, visit: ShopVisit, request: FastifyRequest): Promise<Answer> {
  const { pool, clock, sealer, hosts } = context;
  const kind = kindIn(request);
  const { values, ...form } = readReach(formOf(request), kind, hosts.allowHosts);
  if (values === null) return { ...newConnectionPage(visit, kind, form), status: 422 };
  const { shop, actor } = visit;
  return addConnection({ pool, clock, sealer }, { businessId: shop.id, kind, ...values, actor }).then(
    async ({ connection, secret }) => {
      // The member who entered it knows it.
      const shown = values.secret === null ? secret : null;
      return { ...(await showSetup(context, { visit, connection, request }, shown, true)), status: 201 };
    },
    // There are as many as there may be.
    onError(OperatorError, ({ message }) => {
      const flash = { tone: 'bad', text: message } as const;
      return { ...newConnectionPage(visit, kind, form), flash, status: 409 };
    }),
  );
}

async function saveStatuses({ pool, clock, sealer }: DashboardContext, found: OnConnection): Promise<Answer> {
  const { visit, connection, request } = found;
  const kind = kindOf(connection.kind);
  if (!isStoreKind(kind)) throw nothingHere();
  const words = statusWords(kind, connection);
  const { values, ...form } = readSettingsForm(formOf(request), kind, words, connection.settings);
  if (values === null) return { ...showStatuses(found, form), status: 422 };
  await changeConnection({ pool, clock, sealer }, connection, { settings: values }, visit.actor);
  return back(found, '/statuses', 'saved');
}

async function saveSettings(context: DashboardContext, found: OnConnection): Promise<Answer> {
  const { pool, clock, sealer, hosts } = context;
  const { visit, connection, request } = found;
  const typed = formOf(request);
  const forgets = typed.get('keep_key') === 'no';
  const before = { hasCredentials: connection.hasCredentials && !forgets };
  const { values, ...form } = readReach(typed, connection.kind, hosts.allowHosts, before);
  if (values === null) return { ...connectionSettingsPage(visit, { connection, form }), status: 422 };
  const { name, storeUrl, credentials } = values;
  const change = {
    ...(name !== null && { name }),
    // A new address begins the reading anew, so one that is the same is not named.
    ...(storeUrl !== connection.storeUrl && { storeUrl }),
    ...(credentials !== null ? { credentials } : forgets && { credentials: null }),
  };
  await changeConnection({ pool, clock, sealer }, connection, change, visit.actor);
  return back(found, '/settings', 'saved');
}

async function rotate({ pool, clock, sealer }: DashboardContext, found: OnConnection): Promise<Answer> {
  const { visit, connection, request } = found;
  const isMade = needsOf(connection.kind).secret === 'made';
  const entered = secretIn(request);
  if (!isMade && entered === null) {
    const faults = { secret: `One line of 1 to ${SECRET_MAX} characters.` };
    return { ...rotateSecretPage(visit, connection, { typed: {}, faults }), status: 422 };
  }
  const atOnce = formOf(request).get('at_once') === 'yes';
  const options = { now: atOnce, secret: entered };
  const secret = await rotateSecret({ pool, clock, sealer }, connection, options, visit.actor);
  // Shown in this response and nowhere else.
  return entered === null && secret !== null
    ? newSecretPage(visit, connection, secret, atOnce)
    : back(found, '/settings', 'secret_saved');
}

async function runOne(
  context: DashboardContext,
  { visit, connection, request }: OnConnection,
): Promise<Answer> {
  const callId = idFrom(paramOf(request, 'call_id'));
  const deps = { ...context, publicUrl: context.site.publicUrl };
  const of = { businessId: visit.shop.id, connectionId: connection.id };
  const call = callId === null ? null : await runAgain(deps, { ...of, callId });
  if (call === null) return connectionGone(visit);
  const flash: ConnectionFlash = call.outcome === null ? 'ran' : `ran_${call.outcome}`;
  // The call may be far down the log.
  return goTo(visit, withQuery(`/connections/${connection.id}/log`, { flash, order: call.order }));
}
