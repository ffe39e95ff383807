import { textAt } from '../../kit/json.ts';
import { askApi, type Finding, finding, type Judge } from '../askApi.ts';
import type { ApiDeps } from '../http.ts';
import { MAILGUN, mailgunHeaders } from './send.ts';
import type { MailgunSettings } from './settings.ts';

export function checkMailgun(settings: MailgunSettings, deps: ApiDeps): Promise<Finding[]> {
  const { apiUrl, domain } = settings;
  const judge: Judge = ({ status, body }) => {
    if (status === 401 || status === 403)
      return finding.wrong(
        `Mailgun does not show ${domain} to this key (${status}): check MAILGUN_API_KEY. A sending key can only send, not be checked.`,
      );
    if (status === 404 && textAt(body, 'message') !== null)
      return finding.wrong(
        `Mailgun does not have the domain ${domain}: check MAILGUN_DOMAIN, and the region of MAILGUN_API_URL.`,
      );
    const state = textAt(body, 'domain', 'state');
    if (status !== 200 || state === null) return null;
    return state === 'active'
      ? finding.good(`Mailgun knows the key and has verified ${domain}.`)
      : finding.wrong(`Mailgun has not verified ${domain} (${state}): set its DNS records.`);
  };
  return askApi(
    MAILGUN,
    { url: `${apiUrl}/v3/domains/${domain}`, headers: mailgunHeaders(settings) },
    judge,
    deps,
  );
}
