/** The only list of errors that a caller can see: code, status and a sentence for a person. */
export const catalogue = {
  'common.malformed_request': [400, 'This is not an HTTP request that can be understood.'],
  'business.invalid_api_key': [401, 'The API key is missing, malformed or revoked.'],
  'operator.token_required': [401, 'From another machine this needs OPERATOR_TOKEN as a bearer token.'],
  'business.inactive': [403, 'This business is deactivated.'],
  'key.not_permitted': [403, 'The access of this API key does not include this call.'],
  'plan.read_only': [403, 'The plan has lapsed; keys cannot be created until it is renewed.'],
  'common.not_found': [404, 'There is nothing at this address.'],
  'message.not_found': [404, 'No message has this id.'],
  'key.not_found': [404, 'No active key has this id.'],
  'webhook.endpoint_not_found': [404, 'No webhook endpoint has this id.'],
  'recipient.not_found': [404, 'This address is not one of your recipients.'],
  'order.not_found': [404, 'Nothing has named an order with this reference.'],
  'text.not_found': [404, 'There is no text for this order status and language.'],
  'common.method_not_allowed': [405, 'This address does not take that method.'],
  'idempotency.key_reused': [409, 'This idempotency key was used with a different request.'],
  'idempotency.request_in_progress': [
    409,
    'A request with this idempotency key is still running; retry shortly.',
  ],
  'sms.already_sent': [409, 'The SMS is queued or has already gone out.'],
  'sms.may_have_sent': [409, 'An earlier SMS ended without the carrier’s answer and may have arrived.'],
  'sms.phone_already_in_use': [409, 'Another of your recipients has this number.'],
  'whatsapp.already_sent': [409, 'The WhatsApp message is queued or has already gone out.'],
  'whatsapp.escalated_to_sms': [409, 'WhatsApp proved undeliverable and the SMS already went instead.'],
  'whatsapp.may_have_sent': [
    409,
    'An earlier WhatsApp message ended without an answer and may have arrived.',
  ],
  'key.limit_reached': [409, 'The business has as many active keys as it may have.'],
  'webhook.endpoint_exists': [409, 'An endpoint with this URL exists already.'],
  'webhook.endpoint_limit_reached': [409, 'The business has as many webhook endpoints as it may have.'],
  'webhook.endpoint_disabled': [409, 'The endpoint is disabled: nothing is sent to it.'],
  'request.conflict': [409, 'Another request wrote the same thing at the same moment; retry.'],
  'events.cursor_expired': [410, 'Events after this cursor are no longer kept; start again without it.'],
  'request.too_large': [413, 'The request body is larger than this operation accepts.'],
  'common.unsupported_media_type': [415, 'The body must be application/json.'],
  'common.validation_failed': [422, 'The request is not valid.'],
  'request.unstorable_input': [422, 'The text contains a character that cannot be stored.'],
  'sms.phone_invalid': [422, 'This cannot be a person’s mobile number.'],
  'common.rate_limited': [429, 'Too many calls with the keys of this business; slow down.'],
  'webhook.test_rate_limited': [429, 'This endpoint was tested too often; wait a minute.'],
  'common.internal': [500, 'Something went wrong on our side; retry with the same idempotency key.'],
  'common.unavailable': [503, 'The service cannot answer right now; retry shortly.'],
} as const satisfies Record<string, readonly [number, string]>;

export type ErrorCode = keyof typeof catalogue;

export const errorCodes = Object.keys(catalogue);

/** One entry of a validation failure, in the vocabulary of Pydantic v2. */
export interface Fault {
  type: FaultType;
  loc: (string | number)[];
  msg: string;
  input: unknown;
}

export type FaultType =
  | 'missing'
  | 'string_type'
  | 'string_too_long'
  | 'string_too_short'
  | 'string_pattern_mismatch'
  | 'int_type'
  | 'int_parsing'
  | 'bool_type'
  | 'list_type'
  | 'dict_type'
  | 'enum'
  | 'too_long'
  | 'too_short'
  | 'greater_than_equal'
  | 'less_than_equal'
  | 'datetime_type'
  | 'datetime_parsing'
  | 'timezone_aware'
  | 'value_error'
  | 'json_invalid'
  | 'missing_reference'
  | 'missing_recipient';

export const statusOf = (code: ErrorCode): number => catalogue[code][0];
export const sentenceOf = (code: ErrorCode): string => catalogue[code][1];

/** An error for the caller; the only error whose content leaves the process. */
export class ApiError extends Error {
  readonly code: ErrorCode;
  readonly detail: string | Fault[];
  readonly headers: Record<string, string>;

  constructor(code: ErrorCode, detail?: string | Fault[], headers: Record<string, string> = {}) {
    super(code);
    this.code = code;
    this.detail = detail ?? sentenceOf(code);
    this.headers = headers;
  }
}

export const invalid = (...faults: Fault[]): ApiError => new ApiError('common.validation_failed', faults);

/** A mistake of the operator: printed as one sentence, without a stack. */
export class OperatorError extends Error {}

/** The code that Node, the driver or a library gives an error; null: it has none. */
export const codeOf = (error: unknown): string | null =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : null;

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
