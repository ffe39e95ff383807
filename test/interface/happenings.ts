import type { Timeline, TimelineItem } from '../../src/contract/messages.ts';
import type { UsageReport } from '../../src/contract/usage.ts';
import type { TestService } from '../support/service.ts';
import { expectStatus, type Shop } from '../support/shop.ts';
import { capturedMessages, eventually } from '../support/waiting.ts';

/** What happens to a message after its push, all through the service's own doors. */

export async function timelineItems(shop: Shop, id: string): Promise<TimelineItem[]> {
  return expectStatus<Timeline>(200, await shop.get(`/api/v1/messages/${id}/timeline`)).items;
}

/** `skipped sms no_phone`: what a program branches on, one line an item. */
export const inShort = (items: readonly TimelineItem[]): string[] =>
  items.map(({ kind, channel, reason, credits }) =>
    [kind, channel, reason, credits].filter((part) => part !== null).join(' '),
  );

export async function countedUsage(shop: Shop, query = ''): Promise<UsageReport> {
  return expectStatus<UsageReport>(200, await shop.get(`/api/v1/usage${query}`));
}

const capturedOf = (service: TestService, id: string, channel: string) =>
  eventually(async () => {
    const found = (await capturedMessages(service.url, { channel })).findLast(
      ({ message_id }) => message_id === id,
    );
    if (!found) throw new Error(`no ${channel} of the message ${id} was captured`);
    return found;
  });

/** The person follows the link in the email. */
export async function openFromEmail(service: TestService, id: string): Promise<void> {
  const { text } = await capturedOf(service, id, 'email');
  const link = new URL(/https?:\/\/\S+\/i\/\S+/.exec(text)?.[0] ?? '').pathname;
  const answer = await fetch(service.url + link, {
    method: 'POST',
    redirect: 'manual',
    headers: { 'sec-fetch-site': 'same-origin', 'content-type': 'application/x-www-form-urlencoded' },
  });
  if (answer.status !== 303) throw new Error(`the link answered ${answer.status}`);
}

/** The provider reports on the last message of this channel. */
export async function reportOn(
  service: TestService,
  id: string,
  channel: string,
  status: string,
): Promise<void> {
  const { provider_id } = await capturedOf(service, id, channel);
  const answer = await fetch(`${service.url}/sandbox/reports`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ provider_id, status }),
  });
  if (answer.status !== 200) throw new Error(`the report answered ${answer.status}`);
}

/** The customer texts STOP. */
export async function textStop(service: TestService, shop: Shop, from: string): Promise<void> {
  const answer = await fetch(`${service.url}/sandbox/sms/inbound`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ from, business_id: shop.businessId, body: 'STOP' }),
  });
  if (answer.status !== 200) throw new Error(`the text answered ${answer.status}`);
}
