import type { ProviderSettings } from '../config/providers.ts';
import type { PostmarkSettings, ResendSettings, SesSettings } from '../config/providersEmail.ts';
import type { MetaSettings, TwilioAccount } from '../config/providersPaid.ts';
import { systemClock } from '../kit/clock.ts';
import { at, listAt, textAt } from '../kit/json.ts';
import { askApi, type Finding, finding, type Judge } from './askApi.ts';
import type { ApiDeps } from './http.ts';
import { META, metaVerdict } from './meta/answers.ts';
import { metaHeaders } from './meta/send.ts';
import { POSTMARK } from './postmark/send.ts';
import { RESEND } from './resend/send.ts';
import { SES } from './ses/send.ts';
import { sigv4Headers } from './ses/sigv4.ts';
import { checkSmtp } from './smtp/check.ts';
import { TWILIO, twilioHeaders, twilioVerdict } from './twilio/api.ts';

/* Asks a provider whether it knows us, with a call that sends nothing and changes nothing. */

type EmailSettings = Exclude<ProviderSettings['email'], { provider: 'sandbox' }>;

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

function checkSes(settings: SesSettings, deps: ApiDeps): Promise<Finding[]> {
  const url = new URL(`${settings.apiUrl}/v2/email/account`);
  const toSign = { method: 'GET', url, headers: {}, body: '', region: settings.region, service: 'ses' };
  const headers = sigv4Headers(toSign, settings, systemClock.now());
  const judge: Judge = ({ status, body, headers: answered }) => {
    const type = [answered['x-amzn-errortype']].flat()[0] ?? '';
    if (status === 403 && type.startsWith('AccessDenied'))
      return [
        finding.warning(
          'Amazon SES knows the credentials, but they may not read the account: allow ses:GetAccount to have it checked.',
        ),
      ];
    if (status !== 200 || typeof at(body, 'SendingEnabled') !== 'boolean') return null;
    const rate = Number(textAt(body, 'SendQuota', 'MaxSendRate') ?? Number.NaN);
    return [
      at(body, 'SendingEnabled') === false
        ? finding.wrong(
            'Amazon SES lets this account send nothing: look at the account’s status in its console.',
          )
        : finding.good('Amazon SES knows the account and lets it send.'),
      ...(at(body, 'ProductionAccessEnabled') === false
        ? [
            finding.warning(
              'The account is in Amazon’s sandbox and reaches verified recipients only: ask to leave it.',
            ),
          ]
        : []),
      ...(settings.perSecond > rate
        ? [
            finding.warning(
              `Amazon SES allows ${rate} mails per second, and EMAIL_MAX_PER_SECOND is ${settings.perSecond} for each worker.`,
            ),
          ]
        : []),
    ];
  };
  return askApi(SES, { url: url.href, headers, urlVariable: 'SES_API_URL' }, judge, deps);
}

function checkPostmark(settings: PostmarkSettings, deps: ApiDeps): Promise<Finding[]> {
  const headers = { accept: 'application/json', 'x-postmark-server-token': settings.serverToken };
  const judge: Judge = ({ status, body }) => {
    if (status !== 200 || textAt(body, 'Name') === null) return null;
    return textAt(body, 'DeliveryType') === 'Sandbox'
      ? [
          finding.wrong(
            'The token is of a Postmark sandbox server, which delivers nothing: use the token of a live one.',
          ),
        ]
      : [finding.good('Postmark knows the server token.')];
  };
  const request = { url: `${settings.apiUrl}/server`, headers, urlVariable: 'POSTMARK_API_URL' };
  return askApi(POSTMARK, request, judge, deps);
}

function checkResend(settings: ResendSettings, deps: ApiDeps): Promise<Finding[]> {
  const domain = settings.from.slice(settings.from.indexOf('@') + 1);
  const judge: Judge = ({ status, body }) => {
    if (status === 401 && textAt(body, 'name') === 'restricted_api_key')
      return [
        finding.good(
          `Resend knows the key. It may only send, so the domain ${domain} could not be looked up.`,
        ),
      ];
    if (status !== 200 || !Array.isArray(at(body, 'data'))) return null;
    const found = listAt(body, 'data').find((one) => domainCovers(textAt(one, 'name'), domain));
    const state = textAt(found, 'status');
    if (state === 'verified') return [finding.good(`Resend knows the key and has verified ${domain}.`)];
    return [
      finding.wrong(
        state === null
          ? `Resend does not have the domain of EMAIL_FROM (${domain}): add it there.`
          : `Resend has not verified the domain of EMAIL_FROM (${domain} is ${state}): set its DNS records.`,
      ),
    ];
  };
  const headers = { authorization: `Bearer ${settings.apiKey}` };
  return askApi(
    RESEND,
    { url: `${settings.apiUrl}/domains`, headers, urlVariable: 'RESEND_API_URL' },
    judge,
    deps,
  );
}

const domainCovers = (name: string | null, domain: string): boolean => name?.toLowerCase() === domain;

export function checkTwilio(account: TwilioAccount, deps: ApiDeps): Promise<Finding[]> {
  const url = `${account.apiUrl}/2010-04-01/Accounts/${account.accountSid}.json`;
  const judge: Judge = ({ status, body }) => {
    const verdict = status >= 400 && status < 500 ? twilioVerdict(textAt(body, 'code')) : null;
    if (verdict !== null && 'sentence' in verdict) return [finding.wrong(verdict.sentence)];
    const state = textAt(body, 'status');
    if (status !== 200 || state === null) return null;
    if (state !== 'active')
      return [finding.wrong(`The Twilio account is ${state}: look at it in Twilio’s console.`)];
    return [
      finding.good('Twilio knows the account, and it is active.'),
      ...(textAt(body, 'type') === 'Trial'
        ? [finding.warning('The Twilio account is on trial and reaches verified numbers only.')]
        : []),
    ];
  };
  return askApi(TWILIO, { url, headers: twilioHeaders(account), urlVariable: 'TWILIO_API_URL' }, judge, deps);
}

export function checkMeta(settings: MetaSettings, deps: ApiDeps): Promise<Finding[]> {
  const url = `${settings.apiUrl}/${settings.version}/${settings.phoneNumberId}?fields=id,quality_rating`;
  const judge: Judge = ({ status, body }) => {
    if (status === 200 && textAt(body, 'id') === settings.phoneNumberId)
      return [
        finding.good('WhatsApp knows the token and the phone number.'),
        ...(textAt(body, 'quality_rating') === 'RED'
          ? [finding.warning('WhatsApp rates the phone number’s quality as low, and may limit it.')]
          : []),
      ];
    if (status < 400 || status >= 500) return null;
    const code = textAt(body, 'error', 'code');
    if (code === '100')
      return [finding.wrong('WhatsApp does not know the phone number id (100): check META_PHONE_NUMBER_ID.')];
    const verdict = metaVerdict(code);
    return verdict !== null && 'sentence' in verdict ? [finding.wrong(verdict.sentence)] : null;
  };
  return askApi(META, { url, headers: metaHeaders(settings), urlVariable: 'META_API_URL' }, judge, deps);
}
