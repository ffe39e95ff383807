import { transaction } from '../src/db/transaction.ts';
import { eraseRecipient } from '../src/erasure/erasure.ts';
import { monotonicMs, SECOND } from '../src/kit/clock.ts';
import type { BenchEnvironment } from './environment.ts';
import { after, untilOver } from './measure.ts';
import { createSteadyPushes, IN_PROCESS_CONNECTIONS, latencyOf, openPushDeps } from './pushInProcess.ts';
import { seedHistory } from './seed.ts';

const EMAIL = 'long.history@example.com';
const PHONE = '+37255550134';

/**
 * Erases a person with a long history during steady pushes to others of the same business, and compares with the same rate
 * before and after, so that noise of the machine affects both sides.
 */
export async function benchErasure(
  world: BenchEnvironment,
  /** `aloneSeconds`: how long to push without an erasure, before and after it. */
  { messages = 100_000, pushesPerSecond = 100, aloneSeconds = 10 } = {},
) {
  const shop = await world.database('erasure', 1, IN_PROCESS_CONNECTIONS);
  const deps = await openPushDeps(shop.pool);
  await seedHistory(shop, messages, 'delivered');
  await shop.pool.query(restOfHistory(shop.businessId, deps.hash('phone', PHONE).toString('hex')));
  const push = createSteadyPushes(deps, shop, pushesPerSecond);
  await push(after(aloneSeconds / 2));
  const before = await push(after(aloneSeconds / 2));

  const { businessId } = shop;
  const erase = async () => {
    const [heap, began] = [process.memoryUsage().heapUsed, monotonicMs()];
    const report = await transaction(shop.pool, (tx) =>
      eraseRecipient(tx, deps, { businessId, email: EMAIL, actor: 'bench' }),
    );
    const erasureSeconds = (monotonicMs() - began) / SECOND;
    // The statements return counts, not rows.
    const heapGrowthMegabytes = (process.memoryUsage().heapUsed - heap) / 2 ** 20;
    return { erasureSeconds, report, heapGrowthMegabytes };
  };
  const [{ heapGrowthMegabytes, ...erased }, pushed] = await untilOver(erase, push);
  const beside = latencyOf(pushed);
  const alone = latencyOf([...before, ...(await push(after(aloneSeconds / 2)))]);
  /** Milliseconds of pushes to other people, without an erasure and during one; `ratio` is that of the two p99. */
  const latencies = { alone, beside, ratio: beside.p99 / alone.p99 };
  return { messages, ...erased, ...latencies, heapGrowthMegabytes };
}

/**
 * What else belongs to the only recipient, whose messages and emails are there: a number with its stop, a text per message, and the
 * attempts, events, links and other rows of each send.
 */
const restOfHistory = (business: string, phoneHash: string): string => `
  update recipients set email = '${EMAIL}', phone = '${PHONE}', phone_country = 'EE', sms_status = 'active', sms_status_at = now();

  insert into webhook_endpoints (business_id, id, url, secret_sealed, secret_masked, disabled_at, created_at)
  values ('${business}', 'endpoint', 'https://example.com/', '', 'whsec_', now(), now());

  insert into stops (business_id, channel, number_hash, made_by, at) values ('${business}', 'sms', '\\x${phoneHash}', 'text', now());

  insert into sends (business_id, id, message_id, recipient_id, channel, purpose, state, created_at, submitted_at)
  select business_id, 'sms' || id, id, recipient_id, 'sms', 'nudge', 'delivered', created_at, created_at from messages;

  insert into send_attempts (business_id, send_id, attempt, outcome, provider, started_at, ended_at)
  select business_id, id, 1, 'accepted', 'sandbox', created_at, created_at from sends;

  insert into message_events (business_id, id, message_id, send_id, type, at)
  select business_id, id, message_id, id, channel || '.delivered', created_at from sends;

  insert into links (business_id, send_id, token_hash, recipient_id, message_id, created_at, expires_at)
  select business_id, id, sha256(id::bytea), recipient_id, message_id, created_at, now() + interval '30 days' from sends;

  insert into sandbox_messages (id, business_id, send_id, message_id, recipient_id, channel, recipient, text, provider_id, outcome, at)
  select business_id || id, business_id, id, message_id, recipient_id, channel, '${EMAIL}', 'Your order is on its way.',
    business_id || id, 'accepted', created_at from sends;

  insert into events (business_id, id, type, occurred_at, message_id, recipient_id, data)
  select business_id, id, channel || '.delivered', created_at, message_id, recipient_id, jsonb_build_object('message_id', message_id,
    'recipient_email', '${EMAIL}', 'subject', 'Your order', 'reference', 'A-1', 'channel', channel) from sends;

  insert into webhook_deliveries (business_id, endpoint_id, event_id, state, attempts, created_at, settled_at)
  select business_id, 'endpoint', id, 'delivered', 1, occurred_at, occurred_at from events;

  analyze`;
