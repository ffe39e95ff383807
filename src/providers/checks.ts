import type { ProviderSettings } from '../config/providers.ts';
import type { Finding } from './askApi.ts';
import type { ApiDeps } from './http.ts';
import { checkPostmark } from './postmark/check.ts';
import { checkResend } from './resend/check.ts';
import { checkSes } from './ses/check.ts';
import { checkSmtp } from './smtp/check.ts';

type EmailSettings = Exclude<ProviderSettings['email'], { provider: 'sandbox' }>;

/** Asks the provider of email whether it knows us, with a call that sends nothing and changes nothing. */
export function checkEmail(settings: EmailSettings, deps: ApiDeps): Promise<Finding[]> {
  switch (settings.provider) {
    case 'smtp':
      return checkSmtp(settings, deps.callMs);
    case 'ses':
      return checkSes(settings, deps);
    case 'postmark':
      return checkPostmark(settings, deps);
    case 'resend':
      return checkResend(settings, deps);
  }
}
