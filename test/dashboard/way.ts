import type { SettingsChange } from '../../src/businesses/settings.ts';
import type { Channel, PaidChannel } from '../../src/contract/channels.ts';
import type { EmailOutcomeName, PaidOutcomeName } from '../../src/messages/outcomes.ts';
import type { ReportStatus } from '../../src/providers/callbackContent.ts';
import type { ProviderAnswer } from '../../src/providers/provider.ts';
import { openFromEmail } from '../interface/happenings.ts';
import { recordUnsubscribe } from '../interface/recipientEvents.ts';
import type { TestService } from '../support/service.ts';
import type { Shop } from '../support/shop.ts';
import { capturedMessages } from '../support/waiting.ts';

export interface Customer {
  service: TestService;
  shop: Shop;
  email: string;
  phone: string;
}
/** Once there is a message. */
export type Told = Customer & { id: string };

export interface Way {
  /** Whom the sandbox knows by the name in the address, or by the last digits of the number. */
  person?: string;
  digits?: string;
  before?(customer: Customer): Promise<unknown>;
  settings?: SettingsChange;
  push?: Record<string, unknown>;
  /** How long the send waits before the cause comes, and then ends the wait. */
  waits?: 'scheduled' | 'until unread';
  cause?(told: Told): Promise<unknown>;
  outcomes: readonly (EmailOutcomeName | PaidOutcomeName)[];
  /** The API has no word for a channel that never had a send. */
  isRefusal?: true;
  /** What usage counts of it, each once. */
  counted: readonly string[];
}

export type Cause = Omit<Way, 'outcomes' | 'counted'>;

/** What a WhatsApp message needs. */
export const ON_EVERY_CHANNEL = {
  whatsapp_opt_in: { source: 'checkout' },
  reference: '#1001',
  order_status: 'shipped',
};

export const change =
  (settings: SettingsChange) =>
  ({ service, shop }: Customer) =>
    service.change(shop, settings);
export const retract = ({ shop, id }: Told) => shop.post(`/api/v1/messages/${id}/retract`);
export const replace = ({ shop, id }: Told) =>
  shop.pushed({ recipient_email: 'silent+newer@example.com', obsoletes: [id] });
export const open = ({ service, id }: Told) => openFromEmail(service, id);
export const unsubscribe = ({ service, shop, email }: Customer) => recordUnsubscribe(service, shop, email);
export const noCredits = ({ service, shop }: Customer) =>
  service.pool.query('update credit_accounts set balance = 0 where business_id = $1', [shop.businessId]);
/** Another message of the channel to the same customer, just now. */
export const sendEarlier =
  (channel: PaidChannel) =>
  async ({ service, shop, email, phone }: Customer) => {
    await shop.pushed({
      ...ON_EVERY_CHANNEL,
      recipient_email: email,
      recipient_phone: phone,
      channels: [channel],
    });
    await service.advance({ seconds: 2 });
  };
/** Changed behind the product's back: its own ways end what waits at once. */
export const withNumber =
  (set: string) =>
  ({ service, shop, phone }: Customer) =>
    service.pool.query(`update recipients set ${set} where business_id = $1 and phone = $2`, [
      shop.businessId,
      phone,
    ]);

/** What the provider reports of a send that it accepted. */
export const report =
  (channel: Channel, status: ReportStatus, error_code: string | null = null) =>
  async ({ service, id }: Told) => {
    const captured = await capturedMessages(service.url, { channel });
    const provider_id = captured.find(({ message_id }) => message_id === id)?.provider_id;
    const answer = await fetch(`${service.url}/sandbox/reports`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ provider_id, status, error_code }),
    });
    if (answer.status !== 200) throw new Error(`the report answered ${answer.status}`);
  };

export type Answered = Record<Exclude<ProviderAnswer['outcome'], 'not_set_up'>, Way>;
export type Reported = Record<ReportStatus, Way>;

export const named = (family: string, ways: Record<string, Way>): [string, Way][] =>
  Object.entries(ways).map(([name, way]) => [`${family}${name}`, way]);
export const causes = (
  table: Record<string, Cause>,
  end: Omit<Way, keyof Cause> | Way,
): Record<string, Way> =>
  Object.fromEntries(Object.entries(table).map(([reason, cause]) => [reason, { ...cause, ...end }]));
