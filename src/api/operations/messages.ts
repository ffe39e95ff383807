import { IDEMPOTENCY_KEY_MAX } from '../../config/limits.ts';
import type { PaidChannel } from '../../contract/channels.ts';
import {
  ListQueryParams,
  MessageList,
  MessageParams,
  RetractResult,
  Timeline,
  ViewedMessage,
} from '../../contract/messages.ts';
import { SmsOutcome, WhatsappOutcome } from '../../contract/push.ts';
import { messageCursors } from '../../messages/list.ts';
import { createViews, listMessages } from '../../messages/read.ts';
import { resendSms, resendWhatsapp } from '../../messages/resend.ts';
import { retractMessage } from '../../messages/retract.ts';
import { viewTimeline } from '../../messages/timeline.ts';
import { found, json, type OperationDeps, operation } from '../operation.ts';
import { cursorFormat } from '../validation/strings.ts';
import { messageExamples } from './examples.ts';
import { onceOnMessage } from './onceOnMessage.ts';

const onOne = { tag: 'Messages', params: MessageParams } as const;

export const messageOperations = (deps: OperationDeps) => [
  list(deps),
  getOne(deps),
  timeline(deps),
  retract(deps),
  resendText(deps),
  resendOnWhatsapp(deps),
];

const list = ({ pool }: OperationDeps) =>
  operation({
    id: 'listMessages',
    method: 'GET',
    path: '/api/v1/messages',
    access: ['send', 'read'],
    tag: 'Messages',
    summary: 'List messages',
    description:
      'Newest first. A message pushed while you page neither repeats nor hides another. Filters combine; a page can then be ' +
      'short, or empty, before the last one, so go on until `next_cursor` is null.',
    query: ListQueryParams,
    formats: { cursor: cursorFormat(messageCursors.idIn) },
    success: { status: 200, shape: MessageList, description: 'A page of messages.' },
    examples: { response: messageExamples.list },
    handle: async ({ caller, query }) => {
      const { recipient_email: recipientEmail = null, limit = null, cursor: before = null } = query;
      const { reference = null, status = null } = query;
      const { created_after: createdAfter = null, created_before: createdBefore = null } = query;
      const filters = { recipientEmail, reference, status, createdAfter, createdBefore };
      return json(200, await listMessages(pool, caller.businessId, { ...filters, limit, before }));
    },
  });

function getOne({ pool }: OperationDeps) {
  const view = createViews(pool);
  return operation({
    ...onOne,
    id: 'getMessage',
    method: 'GET',
    path: '/api/v1/messages/{public_id}',
    access: ['send', 'read'],
    summary: 'Read a message and what became of its nudges',
    description: 'Delivery happens after the push returns; this is where its outcome can be read.',
    success: { status: 200, shape: ViewedMessage, description: 'The message.' },
    errors: ['message.not_found'],
    examples: { response: messageExamples.view },
    handle: async ({ caller, params }) =>
      json(200, found(await view(caller.businessId, params.public_id), 'message.not_found')),
  });
}

const timeline = ({ pool }: OperationDeps) =>
  operation({
    ...onOne,
    id: 'getTimeline',
    method: 'GET',
    path: '/api/v1/messages/{public_id}/timeline',
    access: ['send', 'read'],
    summary: 'Read why each nudge of a message did or did not happen',
    description:
      'Everything that was decided about the message and happened to it, oldest first. Each item has a `kind`, and a ' +
      'sentence that you can show to your staff; it names no address, number or text.',
    success: { status: 200, shape: Timeline, description: 'The timeline.' },
    errors: ['message.not_found'],
    examples: { response: messageExamples.timeline },
    handle: async ({ caller, params }) =>
      json(200, found(await viewTimeline(pool, caller.businessId, params.public_id), 'message.not_found')),
  });

const retract = (deps: OperationDeps) =>
  operation({
    ...onOne,
    id: 'retractMessage',
    method: 'POST',
    path: '/api/v1/messages/{public_id}/retract',
    access: ['send'],
    summary: 'Retract a message',
    description:
      'The message is shown as retracted, and nudges that have not gone out are cancelled and cost nothing. Idempotent: ' +
      'a second call answers `retracted` false.',
    idempotencyKeyMax: IDEMPOTENCY_KEY_MAX,
    success: { status: 200, shape: RetractResult, description: 'What was retracted.' },
    errors: ['message.not_found', 'request.conflict'],
    examples: { response: messageExamples.retract },
    handle: onceOnMessage(deps, 'retract', retractMessage, ({ deliveries }) => {
      if (deliveries > 0) deps.onEvents();
    }),
  });

const resendText = (deps: OperationDeps) =>
  operation({
    ...onOne,
    ...resend(deps, 'sms', resendSms),
    id: 'resendSms',
    summary: 'Send the text of a message whose text never went out',
    description: 'For example after a top-up. A rule that stops it is a 200 with `skipped_reason`.',
    success: { status: 200, shape: SmsOutcome, description: 'The outcome.' },
    errors: ['message.not_found', 'sms.already_sent', 'sms.may_have_sent', 'request.conflict'],
    examples: { response: messageExamples.resendSms },
  });

const resendOnWhatsapp = (deps: OperationDeps) =>
  operation({
    ...onOne,
    ...resend(deps, 'whatsapp', resendWhatsapp),
    id: 'resendWhatsapp',
    summary: 'Send the WhatsApp nudge of a message whose nudge never went out',
    description:
      'Does not re-arm `sms_if_whatsapp_fails`. A rule that stops it is a 200 with `skipped_reason`.',
    success: { status: 200, shape: WhatsappOutcome, description: 'The outcome.' },
    errors: [
      'message.not_found',
      'whatsapp.already_sent',
      'whatsapp.escalated_to_sms',
      'whatsapp.may_have_sent',
      'request.conflict',
    ],
    examples: { response: messageExamples.resendWhatsapp },
  });

/** What both paid channels have in common. */
const resend = (
  deps: OperationDeps,
  channel: PaidChannel,
  work: typeof resendSms | typeof resendWhatsapp,
) => ({
  method: 'POST' as const,
  path: `/api/v1/messages/{public_id}/${channel}`,
  access: ['send'] as const,
  idempotencyKeyMax: IDEMPOTENCY_KEY_MAX,
  handle: onceOnMessage(
    deps,
    `resend_${channel}`,
    (tx, key, now) => work(tx, deps.hash, key, now),
    deps.onSends,
  ),
});
