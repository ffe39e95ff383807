import { textAt } from '../../kit/json.ts';
import { askApi, type Finding, finding, type Judge, warningIf } from '../askApi.ts';
import type { ApiDeps } from '../http.ts';
import { TWILIO, twilioHeaders, twilioVerdict } from './api.ts';
import type { TwilioAccount } from './settings.ts';

export function checkTwilio(account: TwilioAccount, deps: ApiDeps): Promise<Finding[]> {
  const url = `${account.apiUrl}/2010-04-01/Accounts/${account.accountSid}.json`;
  const judge: Judge = ({ status, body }) => {
    const verdict = status >= 400 && status < 500 ? twilioVerdict(textAt(body, 'code')) : null;
    if (verdict !== null && 'sentence' in verdict) return finding.wrong(verdict.sentence);
    const state = textAt(body, 'status');
    if (status !== 200 || state === null) return null;
    if (state !== 'active')
      return finding.wrong(`The Twilio account is ${state}: look at it in Twilio’s console.`);
    return [
      finding.good('Twilio knows the account, and it is active.'),
      ...warningIf(
        textAt(body, 'type') === 'Trial',
        'The Twilio account is on trial and reaches verified numbers only.',
      ),
    ];
  };
  return askApi(TWILIO, { url, headers: twilioHeaders(account) }, judge, deps);
}
