import { afterAll, afterEach, beforeAll, expect, onTestFinished, test } from 'vitest';
import { advanceDatabaseTime } from '../../src/db/sql.ts';
import { readConfig } from '../../src/environment/config.ts';
import { MINUTE } from '../../src/kit/clock.ts';
import { wire } from '../../src/server/wire.ts';
import { buildProgram, killAllPrograms, startProgram } from '../support/program.ts';
import { recordingLog } from '../support/recordingLog.ts';
import type { TestService } from '../support/service.ts';
import { eventually } from '../support/waiting.ts';
import {
  type ProviderUnderTest,
  PUSH_ON_CHANNEL,
  providerUnderTest,
  sendWhen,
  startProviderService,
} from './providerService.ts';

beforeAll(buildProgram);
afterEach(killAllPrograms);
afterAll(killAllPrograms);

/** Longer than any call may last. */
const PAST_ITS_DEADLINE_MS = 10 * MINUTE;

/** One worker carries every channel; both of Twilio's take their variables from the same names. */
const TOGETHER = [
  ['postmark', 'twilioSms', 'meta'],
  ['resend', 'twilioWhatsapp'],
  ['ses', 'httpSms'],
  ['brevo', 'vonage'],
  ['smtp', 'httpWhatsapp'],
  ['mailgun'],
  ['sendgrid'],
];

test.each(TOGETHER.map((names) => [names.join(', '), names.map(providerUnderTest)] as const))(
  '%s: a worker killed between request and answer has sent it once and for all; a later report settles it',
  async (_names, carriers) => {
    const open = await Promise.all(carriers.map(async (one) => ({ ...one, provider: await one.open() })));
    for (const { provider } of open) provider.behave('never answers');
    const env = Object.assign({}, ...open.map(({ provider }) => provider.env));
    // The interface runs here, where Amazon SNS can be stood in for; the first worker is a process that can be killed.
    const service = await startProviderService({ ...env, ROLES: 'api' });
    const first = await startProgram({
      ...env,
      ROLES: 'worker',
      DATABASE_URL: service.database.url,
      SECRET_KEY: service.secretKey,
      PUBLIC_URL: service.url,
    });
    const shop = await service.business({ credits: 5 });
    const { id } = await shop.pushed(askingAll(carriers));
    for (const { channel, provider } of open) {
      await eventually(async () => expect(provider.references()).toHaveLength(1));
      await sendWhen(service, id, channel, { state: 'submitting' });
    }
    await first.end('SIGKILL');

    for (const { provider } of open) provider.behave('accepts the message');
    await advanceDatabaseTime(service.pool, PAST_ITS_DEADLINE_MS);
    await startWorkerHere(service, env);
    const another = await shop.pushed({ ...askingAll(carriers), subject: 'Another' });
    for (const { channel, provider, delivered } of open) {
      const lost = await sendWhen(service, id, channel, { state: 'failed', reason: 'outcome_unknown' });
      const next = await sendWhen(service, another.id, channel, { state: 'accepted' });
      const [reference = '', ...later] = provider.references();
      expect(reference).toBe(`${lost.business_id}-${lost.id}`);
      expect(later).toEqual([`${next.business_id}-${next.id}`]);
      if (delivered === null) continue;
      expect([200, 204]).toContain((await delivered(service.url, reference)).status);
      await sendWhen(service, id, channel, {
        state: 'delivered',
        reason: null,
        charged: channel !== 'email',
      });
    }
  },
);

/** The worker after the one that was killed, until the test ends. Nobody kills it, so that it needs no process of its own. */
async function startWorkerHere(service: TestService, env: Record<string, string>): Promise<void> {
  const worker = await wire({
    config: readConfig({ ...env, ROLES: 'worker' }),
    databaseUrl: service.database.url,
    secretKeys: [service.secretKey],
    publicUrl: service.url,
    log: recordingLog([]),
  });
  onTestFinished(() => worker.stop());
}

/** A push that makes a send for each of them. */
function askingAll(carriers: readonly ProviderUnderTest[]): Record<string, unknown> {
  const channels = carriers.map(({ channel }) => channel);
  return Object.assign({}, ...channels.map((channel) => PUSH_ON_CHANNEL[channel]), { channels });
}
