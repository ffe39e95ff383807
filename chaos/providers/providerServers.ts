import { metaEnv, postmarkEnv, smtpEnv, twilioSmsEnv } from '../../test/support/providerEnvironments.ts';
import { type FaultProxy, openFaultProxy } from '../faultProxy.ts';
import type { SeededRandom } from '../seededRandom.ts';
import { openHttpProvider } from './httpProvider.ts';
import { metaFormat, postmarkFormat, twilioFormat } from './providerFormats.ts';
import { FaultProfile, ProviderLog } from './providerLog.ts';
import { metaDelivered, postmarkDelivered, type ReportSender, twilioDelivered } from './reports.ts';
import { openSmtpProvider } from './smtpProvider.ts';

/** All providers, each behind a fault proxy, with one log. */
export interface ProviderServers {
  providerLog: ProviderLog;
  proxies: FaultProxy[];
  /** The environment of a process, by its email provider. */
  env: { postmark: Record<string, string>; smtp: Record<string, string> };
  heal(): void;
  close(): void;
}

/** More than one machine can reach. */
const PACE = { EMAIL_MAX_PER_SECOND: '2000', SMS_MAX_PER_SECOND: '2000', WHATSAPP_MAX_PER_SECOND: '2000' };

export async function openProviderServers(
  reports: ReportSender,
  chance: SeededRandom,
): Promise<ProviderServers> {
  const log = new ProviderLog();
  const faults = new FaultProfile(chance);
  const servers = {
    postmark: await openHttpProvider(postmarkFormat, {
      log,
      faults,
      onAccepted: ({ reference, id }) => reports.send(postmarkDelivered(reference, id)),
    }),
    twilio: await openHttpProvider(twilioFormat, {
      log,
      faults,
      onAccepted: ({ id, body }) => reports.send(twilioDelivered(body, id)),
    }),
    meta: await openHttpProvider(metaFormat, {
      log,
      faults,
      onAccepted: ({ reference, id }) => reports.send(metaDelivered(reference, id)),
    }),
    smtp: await openSmtpProvider(log, faults),
  };
  const through = async (name: keyof typeof servers): Promise<FaultProxy> =>
    openFaultProxy(name, () => ({ host: '127.0.0.1', port: servers[name].port }), chance);
  const proxies = {
    postmark: await through('postmark'),
    twilio: await through('twilio'),
    meta: await through('meta'),
    smtp: await through('smtp'),
  };
  const at = (proxy: FaultProxy): string => `http://127.0.0.1:${proxy.port}`;
  const paid = { ...twilioSmsEnv(at(proxies.twilio)), ...metaEnv(at(proxies.meta)), ...PACE };
  return {
    providerLog: log,
    proxies: Object.values(proxies),
    env: {
      postmark: { ...postmarkEnv(at(proxies.postmark)), ...paid },
      smtp: { ...smtpEnv(proxies.smtp.port), ...paid },
    },
    heal: () => faults.heal(),
    close: () => {
      for (const one of [...Object.values(servers), ...Object.values(proxies)]) one.close();
    },
  };
}
