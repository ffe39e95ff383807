import { expect, test } from 'vitest';
import { expectStatus } from '../support/shop.ts';
import { PROVIDERS_UNDER_TEST, PUSH_ON_CHANNEL, sendWhen, startProviderService } from './providerService.ts';

test.each(Object.values(PROVIDERS_UNDER_TEST).map((carrier) => [carrier.name, carrier] as const))(
  '%s: a send whose answer was lost is never sent again, and a later report settles it',
  async (_name, { channel, open, delivered }) => {
    const provider = await open();
    provider.behave('closes the connection after the request');
    const service = await startProviderService(provider.env);
    const shop = await service.business({ credits: 5 });
    const { id } = await shop.pushed(PUSH_ON_CHANNEL[channel]);
    const failed = await sendWhen(service, id, channel, { state: 'failed', reason: 'outcome_unknown' });
    expect(provider.references()).toEqual([`${failed.business_id}-${failed.id}`]);
    expect(failed.charged).toBe(channel !== 'email');

    // Nothing is left of it that a worker could find.
    expect(failed).toMatchObject({ due_at: null, lease: null, attempt_token: null });
    provider.behave('accepts the message');
    const other = await shop.pushed({ ...PUSH_ON_CHANNEL[channel], subject: 'Another' });
    await sendWhen(service, other.id, channel, { state: 'accepted' });
    expect(provider.references()).toHaveLength(2);
    await sendWhen(service, id, channel, { state: 'failed', reason: 'outcome_unknown' });

    if (delivered === null) return;
    const [reference = ''] = provider.references();
    for (let times = 0; times < 2; times += 1)
      expect([200, 204]).toContain((await delivered(service.url, reference)).status);
    await sendWhen(service, id, channel, { state: 'delivered', reason: null, charged: failed.charged });
    const { delivery } = expectStatus<{ delivery: Record<string, unknown> }>(
      200,
      await shop.get(`/api/v1/messages/${id}`),
    );
    expect(delivery).toMatchObject(
      channel === 'email'
        ? { delivered: true, failed: null }
        : { [channel]: { status: 'delivered', error_code: null, credits_charged: 1 } },
    );
    const { rows } = await service.pool.query('select type from events where business_id = $1 order by id', [
      shop.businessId,
    ]);
    const start = channel === 'email' ? 'message' : channel;
    const told = rows.map(({ type }) => type).filter((type) => type.startsWith(start));
    expect(told).toEqual([`${start}.failed`, `${start}.delivered`]);
  },
);
