import type { CallEntry } from '../connections/callLog.ts';
import { type addConnection, addressOf, type Connection } from '../connections/connections.ts';
import type { ConnectionKind } from '../connections/kinds/kind.ts';
import { kindOf } from '../connections/kinds.ts';
import { needsOf } from '../connections/needs.ts';
import type { Report } from './command.ts';
import { shownChannels, shownStatuses } from './connectionWords.ts';
import { facts } from './layout.ts';

/** How commands show a connection and its calls. */
export function addedReport(
  { connection, secret, query }: Awaited<ReturnType<typeof addConnection>>,
  publicUrl: string,
): Report {
  const { id: connectionId, kind, status } = connection;
  const address = addressOf(publicUrl, connection);
  const fields = { connection_id: connectionId, kind, status, address, secret };
  const text = [
    facts(Object.entries(fields)),
    ...hintsFor(kind, address, secret),
    ...(query === null ? [] : [query]),
  ];
  return { json: query === null ? fields : { ...fields, query }, text: text.join('\n\n').trimEnd() };
}

function hintsFor(kind: ConnectionKind, address: string, secret: string | null): string[] {
  const { title } = kindOf(kind);
  const needs = needsOf(kind).secret;
  if (secret === null)
    return needs === 'entered'
      ? [`${title} shows a secret when it is given the address: enter it by connection rotate ID --secret S.`]
      : [];
  return [
    ...(needs === 'made' ? [SAVE_SECRET] : []),
    ...(kind === 'shippo'
      ? [`Where ${title} signs nothing, give it ${address}?token=${encodeURIComponent(secret)}`]
      : []),
  ];
}

export const SAVE_SECRET = 'Save the secret now: it is shown only once.';

export function settingsReport({ settings, ...connection }: Connection): Report {
  const { escalateMinutes, phone, consentField } = settings;
  const fields = {
    connection_id: connection.id,
    business_id: connection.businessId,
    kind: connection.kind,
    name: connection.name,
    status: connection.status,
    store_url: connection.storeUrl,
    statuses: settings.statuses,
    channels: settings.channels,
    escalate_minutes: escalateMinutes,
    phone,
    consent_field: consentField,
  };
  const shownFields = { ...fields, statuses: shownStatuses(settings), channels: shownChannels(settings) };
  const lacksField = phone === 'if_consented' && consentField === null;
  const last = lacksField ? ['Nobody is texted until --consent-field names the store’s field.'] : [];
  return { json: fields, text: [facts(Object.entries(shownFields)), ...last].join('\n\n') };
}

export function callReport(call: CallEntry): Report {
  const { would_push: wouldPush, ...fields } = call;
  const messages = (wouldPush ?? []).map(({ order_status, recipient_email, language, subject, body }) =>
    [facts(Object.entries({ order_status, recipient_email, language, subject })), body].join('\n\n'),
  );
  const text = [facts(Object.entries(fields)), ...messages].join('\n\n');
  return { json: call, text: text.replace(/[^\P{Cc}\n]/gu, ' ') };
}
