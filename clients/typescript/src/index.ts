export { BatchError, type BatchItem, type BatchOutcome } from './batch.ts';
export {
  InMemoryDeduper,
  type InMemoryDeduperOptions,
  processOnce,
  type WebhookDeduper,
} from './dedupe.ts';
export {
  AuthenticationError,
  ConflictError,
  ConnectionError,
  CursorExpiredError,
  type FieldError,
  IdempotencyKeyReusedError,
  NotFoundError,
  PermissionError,
  RateLimitError,
  RequestError,
  RequestInProgressError,
  RequestTooLargeError,
  ServerError,
  TimeoutError,
  UnexpectedAnswerError,
  ValidationError,
  WaypostError,
  type WaypostErrorCode,
} from './errors.ts';
export type { UnknownEvent, WaypostEvent, WaypostEventPage } from './events.ts';
export type { EventFollower, FollowOptions } from './follow.ts';
export type * from './generated/api.ts';
export { eventTypes } from './generated/api.ts';
export type { Open } from './open.ts';
export type { Page, Paged } from './pages.ts';
export type { CreditsResource } from './resources/credits.ts';
export type { Events } from './resources/events.ts';
export type { Keys } from './resources/keys.ts';
export type { Messages } from './resources/messages.ts';
export type { Orders } from './resources/orders.ts';
export type { Recipients } from './resources/recipients.ts';
export type {
  CapturedMessage,
  ClockStep,
  InboundMessage,
  NewBusiness,
  OutboxFilter,
  ProviderReport,
  Sandbox,
} from './resources/sandbox.ts';
export type { Texts } from './resources/texts.ts';
export type { UsageResource } from './resources/usage.ts';
export type { WebhookEndpoints } from './resources/webhookEndpoints.ts';
export type { WaypostPromise, WaypostResponse } from './response.ts';
export { type SignOptions, signWebhook } from './sign.ts';
export type {
  CallOptions,
  Fetch,
  FetchInit,
  FetchResponse,
  RetryNotice,
  Time,
  WriteOptions,
} from './transport.ts';
export { Waypost, type WaypostOptions } from './waypost.ts';
export {
  type VerifyOptions,
  verifyWebhook,
  type WebhookHeaders,
  type WebhookRefusal,
  WebhookVerificationError,
} from './webhooks.ts';
