import { parseJsonText, textAt } from '../kit/json.ts';
import { SES_REFERENCE } from '../providers/email/ses.ts';
import type { ReportFacts } from './afterReport.ts';
import { type CallbackContent, EMPTY_CONTENT, IGNORED_CONTENT } from './callbackContent.ts';
import type { DeliveryReport } from './reports.ts';
import type { SnsMessage } from './snsSignature.ts';

/** An event of Amazon SES, from the message of SNS that brought it. Mails go to one person each, so it is about them. */
export function readSesEvent({ id, message }: SnsMessage): CallbackContent {
  const event = parseJsonText(message);
  const type = textAt(event, 'eventType') ?? textAt(event, 'notificationType');
  // Every tag is a list, of one here.
  const reference = textAt(event, 'mail', 'tags', SES_REFERENCE, 0);
  const fact = factOf(type, event);
  if (fact === 'rendering') {
    const sentence = 'Amazon SES could not render a mail, though ours need no rendering.';
    return { ...EMPTY_CONTENT, faults: [{ channel: 'email', about: 'ses_rendering', sentence }] };
  }
  if (fact === null) return IGNORED_CONTENT;
  return {
    ...EMPTY_CONTENT,
    reports: [{ provider: 'ses', reportId: id, reference: reference ?? '', ...fact }],
  };
}

type Told = ReportFacts & Pick<DeliveryReport, 'permanent'>;

function factOf(type: string | null, event: unknown): Told | 'rendering' | null {
  switch (type) {
    case 'Delivery':
      return { status: 'delivered', errorCode: null };
    case 'Bounce':
      return bounce(event);
    case 'Complaint':
      // Somebody moved it out of their spam folder.
      return textAt(event, 'complaint', 'complaintFeedbackType') === 'not-spam'
        ? null
        : { status: 'complained', errorCode: null };
    case 'Reject':
      return { status: 'rejected', errorCode: 'ses_reject' };
    case 'Rendering Failure':
      return 'rendering';
    default:
      // Send and DeliveryDelay are on the way; Open and Click are none of our business.
      return null;
  }
}

/** SES has given up whatever the kind; only a permanent one says something about the address. */
function bounce(event: unknown): Told {
  const type = textAt(event, 'bounce', 'bounceType') ?? 'Undetermined';
  const subType = textAt(event, 'bounce', 'bounceSubType') ?? 'Undetermined';
  return {
    status: 'bounced',
    errorCode: `ses_${type}_${subType}`.toLowerCase(),
    permanent: type === 'Permanent',
  };
}
