import { setTimeout as sleep } from 'node:timers/promises';
import { smtpEnv } from '../../test/support/providerEnvironments.ts';
import type { SeededRandom } from '../../test/support/seededRandom.ts';
import { type FaultProxy, openFaultProxy } from '../faultProxy.ts';
import { openHttpProvider } from './httpProvider.ts';
import { type Condition, Outage } from './outage.ts';
import { PROVIDER_FORMATS, type ProviderFormat } from './providerFormats.ts';
import { createFaults, type Faults, ProviderLog } from './providerLog.ts';
import { openSmtpProvider } from './smtpProvider.ts';

/** More than one machine can reach. */
const PACE = { EMAIL_MAX_PER_SECOND: '2000', SMS_MAX_PER_SECOND: '2000', WHATSAPP_MAX_PER_SECOND: '2000' };
const REPORT_AFTER_MS = 100;
const REPORT_AGAIN_AFTER_MS = 500;
/** One report in this many is sent twice, as providers do. */
const TWICE_EVERY = 20;

/** All providers, each behind a fault proxy, with one log. `baseUrl` is where they report. */
export async function openProviderServers(baseUrl: string, chance: SeededRandom) {
  const log = new ProviderLog();
  const faults = createFaults(chance);
  const { counts, report, allReported } = startReports();
  /** A proxy before this port. */
  const through = (name: string, port: number): Promise<FaultProxy> =>
    openFaultProxy(name, () => ({ host: '127.0.0.1', port }), chance);
  const openHttp = async (name: keyof typeof PROVIDER_FORMATS, its: Faults = faults) => {
    const format: ProviderFormat = PROVIDER_FORMATS[name];
    const port = await openHttpProvider(name, format, log, its, (reference) =>
      report(() => format.report(baseUrl, reference)),
    );
    const proxy = await through(name, port);
    return { proxy, env: format.env(`http://127.0.0.1:${proxy.port}`) };
  };
  const [twilio, meta, postmark] = [
    await openHttp('twilio'),
    await openHttp('meta'),
    await openHttp('postmark'),
  ];
  const paid = { ...twilio.env, ...meta.env, ...PACE };
  const smtp = await through('smtp', await openSmtpProvider(log, faults));
  const outage = new Outage(chance);
  const [first, second] = [await openHttp('postmark', outage), await openHttp('resend')];
  return {
    log,
    faults,
    /** Of the providers with faults at random. */
    proxies: [twilio.proxy, meta.proxy, postmark.proxy, smtp],
    counts,
    /** From now on the first of two email providers is in this condition. */
    async setCondition(condition: Condition): Promise<void> {
      outage.condition = condition;
      await first.proxy.refuse(condition === 'down');
    },
    /** The environment of a process, by its email provider. */
    env: {
      postmark: { ...postmark.env, ...paid },
      smtp: { ...smtpEnv(smtp.port), ...paid },
      postmarkThenResend: { ...first.env, ...second.env, EMAIL_PROVIDER: 'postmark,resend', ...paid },
    },
    allReported,
  };
}

function startReports() {
  const counts = { reports: 0 };
  const inFlight = new Set<Promise<void>>();
  /** Retries a report until the service accepts it. */
  const deliver = async (send: () => Promise<{ status: number }>): Promise<void> => {
    const isAccepted = () => send().then(({ status }) => status === 200 || status === 204);
    await sleep(REPORT_AFTER_MS);
    while (!(await isAccepted().catch(() => false))) await sleep(REPORT_AGAIN_AFTER_MS);
    if (counts.reports++ % TWICE_EVERY === 0) await isAccepted().catch(() => false);
  };
  return {
    counts,
    report(send: () => Promise<{ status: number }>): void {
      const reporting = deliver(send).finally(() => {
        inFlight.delete(reporting);
      });
      inFlight.add(reporting);
    },
    /** Resolves when the service has accepted every delivery report. */
    async allReported(): Promise<void> {
      while (inFlight.size > 0) await Promise.all(inFlight);
    },
  };
}
