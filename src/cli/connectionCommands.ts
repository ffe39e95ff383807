import { OPERATOR } from '../businesses/audit.ts';
import { ESCALATE_MAX_MINUTES, ESCALATE_MIN_MINUTES, REFERENCE_MAX } from '../config/limits.ts';
import { readCalls } from '../connections/callLog.ts';
import {
  addConnection,
  addressOf,
  type Connection,
  changeConnection,
  findConnection,
  listConnections,
  noSuchConnection,
  removeConnection,
  rotateSecret,
} from '../connections/connections.ts';
import { CONNECTION_KINDS, type ConnectionKind, STORE_KINDS } from '../connections/kinds/kind.ts';
import { kindOf } from '../connections/kinds.ts';
import { needsOf } from '../connections/needs.ts';
import { handlerFor, runAgain } from '../connections/run.ts';
import {
  CONNECTION_NAME_MAX,
  CONNECTION_STATUSES,
  CONSENT_FIELD_MAX,
  PHONE_USES,
} from '../connections/settings.ts';
import { parseStoreUrl } from '../connections/storeUrl.ts';
import type { Queryable } from '../db/statement.ts';
import type { Config } from '../environment/config.ts';
import { OperatorError } from '../kit/errors.ts';
import { count, id, line, oneOf, orNone } from '../kit/typedValues.ts';
import { createAllowList } from '../webhooks/publicAddress.ts';
import { requireBusiness } from './businessView.ts';
import {
  argument,
  BUSINESS_ID,
  type Cli,
  command,
  databaseCommand,
  flag,
  optional,
  toggle,
} from './command.ts';
import { addedReport, callReport, SAVE_SECRET, settingsReport } from './connectionReports.ts';
import { channelPairs, credentialsFrom, type ReachFlags, secret, statusPairs } from './connectionWords.ts';
import { factsReport, table } from './layout.ts';

const CONNECTION_ID = argument('the id of the connection, as connection list shows it', id);
const KIND = argument(CONNECTION_KINDS.join('|'), oneOf(CONNECTION_KINDS));
const NAME = flag('NAME', 'how the shop calls it', line(CONNECTION_NAME_MAX));
const CREDENTIAL_MAX = 300;
const LISTED = 50;
const MOST_LISTED = 1_000;

/** How we reach the store or the service. */
const REACH = {
  store: flag('URL', 'the store’s address; Saleor cannot do without', (text) => text),
  'consumer-key': flag('KEY', 'WooCommerce: to read what the store did not send', line(CREDENTIAL_MAX)),
  'consumer-secret': flag('SECRET', 'and the secret of that key', line(CREDENTIAL_MAX)),
  'api-key': flag('KEY', 'of a tracking service: to name the shop’s shipments to it', line(CREDENTIAL_MAX)),
};

const add = command({
  path: 'connection add',
  about: 'Connects a store or a tracking service to a business; it begins by watching, and sends nothing',
  arguments: { BUSINESS: BUSINESS_ID, KIND },
  flags: {
    name: NAME,
    secret: flag(
      'S',
      'the secret that the store shows; by default one is made where that is possible',
      secret,
    ),
    ...REACH,
  },
  async run({ BUSINESS: businessId, KIND: kind, name, secret: entered, ...reach }, cli) {
    if (needsOf(kind).store === 'required' && reach.store === undefined)
      throw new OperatorError(`connection add needs --store URL for ${kindOf(kind).title}.`);
    const credentials = credentialsFrom(kind, reach, null) ?? null;
    const storeUrl = storeUrlFrom(reach, cli.config) ?? null;
    const { pool, clock, sealer } = await cli.open();
    const deps = { pool, clock, sealer: await sealer() };
    const added = await addConnection(deps, {
      businessId,
      kind,
      name: name ?? null,
      secret: entered ?? null,
      storeUrl,
      credentials,
      actor: OPERATOR,
    });
    return addedReport(added, publicUrlOf(cli));
  },
});

const list = command({
  path: 'connection list',
  about: 'Lists the connections of a business, or of all',
  arguments: { BUSINESS: optional(BUSINESS_ID) },
  async run({ BUSINESS: businessId = null }, cli) {
    const { pool } = await cli.open();
    if (businessId !== null) await requireBusiness(pool, businessId);
    const items = (await listConnections(pool, businessId)).map((connection) => ({
      id: connection.id,
      business_id: connection.businessId,
      kind: connection.kind,
      name: connection.name,
      status: connection.status,
      created_at: connection.createdAt,
      last_received_at: connection.lastReceivedAt,
      last_error: connection.lastError,
      store_url: connection.storeUrl,
      address: addressOf(publicUrlOf(cli), connection),
    }));
    const heading = [
      'connection',
      'business',
      'kind',
      'name',
      'status',
      'added',
      'last received',
      'last error',
    ];
    const rows = items.map(({ store_url: _, address: __, ...item }) => Object.values(item));
    return { json: { items }, text: table(heading, rows, 'No connections.') };
  },
});

const ORDER_FLAGS = {
  statuses: flag(
    'PAIRS',
    'the store’s statuses and what they tell, such as processing=confirmed,on-hold=; the others as ever; or default',
    statusPairs,
  ),
  channels: flag('PAIRS', 'paid channels, such as shipped=sms+whatsapp; none: email only', channelPairs),
  'escalate-minutes': flag(
    'N',
    'minutes unread before the paid messages; none: they go at once',
    orNone(count(ESCALATE_MIN_MINUTES, ESCALATE_MAX_MINUTES)),
  ),
  phone: flag(
    'USE',
    `whether the number in an order may be texted: ${PHONE_USES.join('|')}`,
    oneOf(PHONE_USES),
  ),
  'consent-field': flag(
    'NAME',
    'the store’s field that permits SMS, or none',
    orNone(line(CONSENT_FIELD_MAX)),
  ),
};

const set = command({
  path: 'connection set',
  about: 'Changes what a connection does: a live one sends, one that is watching shows what it would send',
  arguments: { ID: CONNECTION_ID },
  flags: {
    status: flag('STATUS', CONNECTION_STATUSES.join('|'), oneOf(CONNECTION_STATUSES)),
    ...ORDER_FLAGS,
    name: NAME,
    ...REACH,
  },
  async run({ ID: connectionId, ...given }, cli) {
    if (Object.values(given).every((value) => value === undefined))
      throw new OperatorError('connection set needs at least one flag; see connection set --help.');
    const { pool, clock, sealer } = await cli.open();
    const connection = await requireConnection(pool, connectionId);
    const { kind, storeUrl: before } = connection;
    const { name, status, statuses, channels, phone } = given;
    const { 'escalate-minutes': escalateMinutes, 'consent-field': consentField } = given;
    const settings = chosen({ statuses, channels, escalateMinutes, phone, consentField });
    if (Object.keys(settings).length > 0) requireStore(kind);
    const credentials = credentialsFrom(kind, given, before);
    const storeUrl = storeUrlFrom(given, cli.config);
    const change = {
      ...chosen({ name, status, storeUrl, credentials }),
      settings,
    };
    const deps = { pool, clock, sealer: await sealer() };
    return settingsReport(await changeConnection(deps, connection, change, OPERATOR));
  },
});

/** Without the fields that were not given. */
function chosen<T extends object>(fields: T): { [Name in keyof T]?: Exclude<T[Name], undefined> };
function chosen(fields: object): object {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

function requireStore(kind: ConnectionKind): void {
  if (!STORE_KINDS.some((store) => store === kind))
    throw new OperatorError(
      `${FLAGS_OF_STORES} are only for stores: ${kindOf(kind).title} knows parcels, not orders.`,
    );
}

const FLAGS_OF_STORES = Object.keys(ORDER_FLAGS)
  .map((name) => `--${name}`)
  .join(', ');

const rotate = databaseCommand({
  path: 'connection rotate',
  about: 'Gives a connection a new secret; the one before it counts for another 60 minutes',
  arguments: { ID: CONNECTION_ID },
  flags: {
    now: toggle('the one before it counts no longer'),
    secret: flag(
      'S',
      'the secret that the store shows; by default one is made where that is possible',
      secret,
    ),
  },
  async run({ ID: connectionId, now = false, secret: entered = null }, { pool, clock, sealer }) {
    const connection = await requireConnection(pool, connectionId);
    const needs = needsOf(connection.kind).secret;
    if (entered === null && needs !== 'made')
      throw new OperatorError(
        `connection rotate needs --secret S: ${kindOf(connection.kind).title} makes the secret itself.`,
      );
    const deps = { pool, clock, sealer: await sealer() };
    const rotated = await rotateSecret(deps, connection, { now, secret: entered }, OPERATOR);
    return factsReport(
      { connection_id: connectionId, secret: rotated },
      entered === null ? SAVE_SECRET : undefined,
    );
  },
});

const remove = databaseCommand({
  path: 'connection remove',
  about: 'Removes a connection with its log and what it knows of orders; messages stay',
  arguments: { ID: CONNECTION_ID },
  async run({ ID: connectionId }, { pool, clock, sealer }) {
    const connection = await requireConnection(pool, connectionId);
    await removeConnection({ pool, clock, sealer: await sealer() }, connection, OPERATOR);
    return factsReport({ connection_id: connectionId, removed: true });
  },
});

const log = databaseCommand({
  path: 'connection log',
  about:
    'Lists the calls that a connection received in the last 30 days and what became of them, newest first',
  arguments: { ID: CONNECTION_ID },
  flags: {
    order: flag('NUMBER', 'only those about one order', line(REFERENCE_MAX)),
    limit: flag('N', `how many at most; default ${LISTED}`, count(1, MOST_LISTED)),
  },
  async run({ ID: connectionId, order = null, limit = LISTED }, { pool }) {
    const { businessId } = await requireConnection(pool, connectionId);
    const calls = await readCalls(pool, { businessId, connectionId, order, limit, before: null });
    const items = calls.map(({ would_push: _, ...item }) => item);
    const heading = ['call', 'received', 'topic', 'order', 'outcome', 'message', 'reason'];
    const rows = items.map((item) => Object.values(item));
    return { json: { items }, text: table(heading, rows, 'No calls.') };
  },
});

const run = command({
  path: 'connection run',
  about: 'Handles a received call again, by today’s settings; one that was watched shows what it would send',
  arguments: { ID: CONNECTION_ID, CALL_ID: argument('the id of the call, as connection log shows it', id) },
  async run({ ID: connectionId, CALL_ID: callId }, cli) {
    const { pool, clock, hasher } = await cli.open();
    const { businessId } = await requireConnection(pool, connectionId);
    const deps = handlerFor({ pool, clock, hash: await hasher(), publicUrl: publicUrlOf(cli) });
    const call = await runAgain(deps, { businessId, connectionId, callId });
    if (call === null) throw new OperatorError(`This connection has no call "${callId}".`);
    return callReport(call);
  },
});

async function requireConnection(db: Queryable, connectionId: string): Promise<Connection> {
  const connection = await findConnection(db, connectionId);
  if (connection === null) throw noSuchConnection(connectionId);
  return connection;
}

function storeUrlFrom({ store }: ReachFlags, config: Config): string | undefined {
  if (store === undefined) return undefined;
  const parsed = parseStoreUrl(store, createAllowList(config.webhookAllowHosts));
  if (!parsed.ok) throw new OperatorError(`--store cannot be used: ${parsed.fault}`);
  return parsed.url;
}

const publicUrlOf = ({ config }: Cli): string => config.publicUrl ?? `http://localhost:${config.port}`;

export const connectionCommands = [add, list, set, rotate, remove, log, run];
