import { at, listAt, textAt } from '../kit/json.ts';
import { RESEND_REFERENCE } from '../providers/email/resend.ts';
import type { ReportFacts } from './afterReport.ts';
import { type CallbackContent, EMPTY_CONTENT, IGNORED_CONTENT } from './callbackContent.ts';
import type { DeliveryReport } from './reports.ts';

/** An event of Resend, under the name that Svix gave its delivery. */
export function parseResendCallback(id: string, body: unknown): CallbackContent {
  const fact = factOf(textAt(body, 'type'), at(body, 'data'));
  if (fact === null) return IGNORED_CONTENT;
  const report: DeliveryReport = {
    provider: 'resend',
    reportId: id,
    reference: referenceIn(body) ?? '',
    ...fact,
  };
  return { ...EMPTY_CONTENT, reports: [report] };
}

/** Tags are sent as a list and come back as an object; either is understood. */
function referenceIn(body: unknown): string | null {
  const tags = at(body, 'data', 'tags');
  const listed = listAt(tags).find((tag) => textAt(tag, 'name') === RESEND_REFERENCE);
  return textAt(tags, RESEND_REFERENCE) ?? textAt(listed, 'value');
}

type Told = ReportFacts & Pick<DeliveryReport, 'permanent'>;

function factOf(type: string | null, data: unknown): Told | null {
  switch (type) {
    case 'email.delivered':
      return { status: 'delivered', errorCode: null };
    case 'email.bounced': {
      const kind = textAt(data, 'bounce', 'type') ?? 'Undetermined';
      return {
        status: 'bounced',
        errorCode: `resend_${kind.toLowerCase()}`,
        permanent: kind === 'Permanent',
      };
    }
    case 'email.suppressed':
      return { status: 'bounced', errorCode: 'resend_suppressed', permanent: true };
    case 'email.complained':
      return { status: 'complained', errorCode: null };
    case 'email.failed':
      return { status: 'failed', errorCode: 'resend_failed' };
    default:
      // sent, scheduled and delivery_delayed are on the way; opened and clicked are none of our business.
      return null;
  }
}
