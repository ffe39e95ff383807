import type { Config } from '../../config/config.ts';
import type { Finding } from '../../providers/askApi.ts';
import { checkEmail } from '../../providers/checks.ts';
import { type ApiDeps, createHttpClient } from '../../providers/http.ts';
import { checkMeta } from '../../providers/meta/check.ts';
import { checkTwilio } from '../../providers/twilio/check.ts';
import { about, type PartFinding } from './findings.ts';

/** Asks each chosen provider, all at once. The sandbox has nothing to ask. */
export async function checkProviders({ providerSettings }: Config): Promise<PartFinding[]> {
  const { email, sms, whatsapp } = providerSettings;
  const client = createHttpClient();
  const deps: ApiDeps = { client };
  const none: Finding[] = [];
  try {
    const [ofEmail, ofSms, ofWhatsapp] = await Promise.all([
      email.provider === 'sandbox' ? none : checkEmail(email, deps),
      sms.provider === 'sandbox' ? none : checkTwilio(sms.account, deps),
      whatsapp.provider === 'sandbox'
        ? none
        : whatsapp.provider === 'meta'
          ? checkMeta(whatsapp, deps)
          : checkTwilio(whatsapp.account, deps),
    ]);
    return [...about('email', ofEmail), ...about('sms', ofSms), ...about('whatsapp', ofWhatsapp)];
  } finally {
    await client.close();
  }
}
