import { createHmac } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { request } from 'undici';
import { POSTMARK_REFERENCE } from '../../src/providers/email/postmark.ts';
import { CALLBACK_PATHS } from '../../src/providers/provider.ts';
import { PROVIDER_SECRETS } from '../../test/support/providerEnvironments.ts';

/** What a provider tells Waypost: that it delivered something. */
export interface ProviderReport {
  path: string;
  headers: Record<string, string>;
  body: string;
}

/** Brings reports until each was taken, in the face of whatever happens to the service meanwhile. */
export interface ReportSender {
  send(report: ProviderReport): void;
  /** Resolves when each was taken. */
  allDelivered(): Promise<void>;
  readonly counts: { brought: number; attempts: number };
}

const FIRST_AFTER_MS = 100;
const AGAIN_AFTER_MS = 500;
const TIMEOUT_MS = 10_000;
/** Some are brought twice: providers do. */
const TWICE_EVERY = 20;

export function createReportSender(baseUrl: string): ReportSender {
  const counts = { brought: 0, attempts: 0 };
  const underWay = new Set<Promise<void>>();

  const bringOnce = async ({ path, headers, body }: ProviderReport): Promise<boolean> => {
    counts.attempts += 1;
    try {
      const timeouts = { headersTimeout: TIMEOUT_MS, bodyTimeout: TIMEOUT_MS };
      const answer = await request(baseUrl + path, { method: 'POST', headers, body, ...timeouts });
      await answer.body.dump();
      return answer.statusCode === 200 || answer.statusCode === 204;
    } catch {
      return false;
    }
  };
  const bring = async (report: ProviderReport): Promise<void> => {
    await sleep(FIRST_AFTER_MS);
    while (!(await bringOnce(report))) await sleep(AGAIN_AFTER_MS);
    if (counts.brought++ % TWICE_EVERY === 0) await bringOnce(report);
  };
  return {
    counts,
    send(report) {
      const bringing = bring(report).finally(() => underWay.delete(bringing));
      underWay.add(bringing);
    },
    async allDelivered() {
      while (underWay.size > 0) await Promise.all(underWay);
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

/** Signed over the address that Waypost gave, which is below its PUBLIC_URL. */
export function twilioDelivered(request: string, id: string): ProviderReport {
  const asked = new URLSearchParams(request);
  const callback = asked.get('StatusCallback') ?? '';
  const fields = { MessageSid: id, MessageStatus: 'delivered', To: asked.get('To') ?? '' };
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
