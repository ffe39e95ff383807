import { createHmac } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { request } from 'undici';
import { POSTMARK_REFERENCE } from '../../src/providers/postmark/send.ts';
import { CALLBACK_PATHS } from '../../src/providers/provider.ts';
import { PROVIDER_SECRETS } from '../../test/support/providerEnvironments.ts';

/** A delivery report as an HTTP request to Waypost. */
export interface ProviderReport {
  path: string;
  headers: Record<string, string>;
  body: string;
}

/** Retries every report until the service accepts it. */
export interface ReportSender {
  send(report: ProviderReport): void;
  /** Resolves when the service has accepted every report. */
  allDelivered(): Promise<void>;
  readonly counts: { brought: number; attempts: number };
}

const FIRST_AFTER_MS = 100;
const RETRY_AFTER_MS = 500;
const TIMEOUT_MS = 10_000;
/** One report in this many is sent twice, as providers do. */
const TWICE_EVERY = 20;

export function createReportSender(baseUrl: string): ReportSender {
  const counts = { brought: 0, attempts: 0 };
  const inFlight = new Set<Promise<void>>();

  const sendOnce = async ({ path, headers, body }: ProviderReport): Promise<boolean> => {
    counts.attempts += 1;
    try {
      const timeouts = { headersTimeout: TIMEOUT_MS, bodyTimeout: TIMEOUT_MS };
      const response = await request(baseUrl + path, { method: 'POST', headers, body, ...timeouts });
      await response.body.dump();
      return response.statusCode === 200 || response.statusCode === 204;
    } catch {
      return false;
    }
  };
  const sendUntilAccepted = async (report: ProviderReport): Promise<void> => {
    await sleep(FIRST_AFTER_MS);
    while (!(await sendOnce(report))) await sleep(RETRY_AFTER_MS);
    if (counts.brought++ % TWICE_EVERY === 0) await sendOnce(report);
  };
  return {
    counts,
    send(report) {
      const sending = sendUntilAccepted(report).finally(() => inFlight.delete(sending));
      inFlight.add(sending);
    },
    async allDelivered() {
      while (inFlight.size > 0) await Promise.all(inFlight);
    },
  };
}

const JSON_BODY = { 'content-type': 'application/json' };

export function postmarkDelivered(reference: string, id: string): ProviderReport {
  const credentials = Buffer.from(`waypost:${PROVIDER_SECRETS.postmark}`).toString('base64');
  return {
    path: CALLBACK_PATHS.postmark,
    headers: { ...JSON_BODY, authorization: `Basic ${credentials}` },
    body: JSON.stringify({
      RecordType: 'Delivery',
      MessageID: id,
      Metadata: { [POSTMARK_REFERENCE]: reference },
    }),
  };
}

/** The signature covers the callback URL that Waypost gave, which is below its PUBLIC_URL. */
export function twilioDelivered(request: string, id: string): ProviderReport {
  const sent = new URLSearchParams(request);
  const callback = sent.get('StatusCallback') ?? '';
  const fields = { MessageSid: id, MessageStatus: 'delivered', To: sent.get('To') ?? '' };
  const signed = Object.entries(fields).sort(([a], [b]) => (a < b ? -1 : 1));
  const text = callback + signed.flat().join('');
  return {
    path: callback.slice(new URL(callback).origin.length),
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      'x-twilio-signature': createHmac('sha1', PROVIDER_SECRETS.twilio).update(text, 'utf8').digest('base64'),
    },
    body: new URLSearchParams(fields).toString(),
  };
}

export function metaDelivered(reference: string, id: string): ProviderReport {
  const statuses = [{ id, status: 'delivered', timestamp: '0', biz_opaque_callback_data: reference }];
  const body = JSON.stringify({
    object: 'whatsapp_business_account',
    entry: [
      { id: '1', changes: [{ field: 'messages', value: { messaging_product: 'whatsapp', statuses } }] },
    ],
  });
  const signature = createHmac('sha256', PROVIDER_SECRETS.meta).update(body).digest('hex');
  return {
    path: CALLBACK_PATHS.meta,
    headers: { ...JSON_BODY, 'x-hub-signature-256': `sha256=${signature}` },
    body,
  };
}
