import { systemClock } from '../../kit/clock.ts';
import { at, textAt } from '../../kit/json.ts';
import { askApi, type Finding, finding, type Judge, warningIf } from '../askApi.ts';
import type { ApiDeps } from '../http.ts';
import { SES, sesRequest } from './send.ts';
import type { SesSettings } from './settings.ts';

export function checkSes(settings: SesSettings, deps: ApiDeps): Promise<Finding[]> {
  const judge: Judge = ({ status, body, headers: answered }) => {
    const type = [answered['x-amzn-errortype']].flat()[0] ?? '';
    if (status === 403 && type.startsWith('AccessDenied'))
      return finding.warning(
        'Amazon SES knows the credentials, but they may not read the account: allow ses:GetAccount to have it checked.',
      );
    if (status !== 200 || typeof at(body, 'SendingEnabled') !== 'boolean') return null;
    const rate = Number(textAt(body, 'SendQuota', 'MaxSendRate') ?? Number.NaN);
    return [
      at(body, 'SendingEnabled') === false
        ? finding.wrong(
            'Amazon SES lets this account send nothing: look at the account’s status in its console.',
          )
        : finding.good('Amazon SES knows the account and lets it send.'),
      ...warningIf(
        at(body, 'ProductionAccessEnabled') === false,
        'The account is in Amazon’s sandbox and reaches verified recipients only: ask to leave it.',
      ),
      ...warningIf(
        settings.perSecond > rate,
        `Amazon SES allows ${rate} mails per second, and EMAIL_MAX_PER_SECOND is ${settings.perSecond} for each worker.`,
      ),
    ];
  };
  const request = sesRequest(settings, { method: 'GET', path: '/v2/email/account' }, systemClock.now());
  return askApi(SES, request, judge, deps);
}
