import { OperatorError } from '../../kit/errors.ts';
import { trimEndChars } from '../../kit/trimEndChars.ts';
import type { ProviderResponse } from '../provider.ts';

const LONGEST_REASON = 300;

/** A template as we want it. Slots in the body are written `{{1}}`. */
export interface WantedTemplate {
  name: string;
  language: string;
  category: string;
  body: string;
  /** One of each slot, for the reviewers. */
  example: readonly string[];
}

/** Where templates are handed in for review. */
export interface TemplateReviewApi {
  /** How the review of a template stands, in the platform's own word; null: it has none of this name. */
  find(wanted: WantedTemplate, signal: AbortSignal): Promise<{ status: string; id: string } | null>;
  /** Makes it and hands it in; answers how the review stands then. */
  create(wanted: WantedTemplate, signal: AbortSignal): Promise<string>;
  /** Hands in one that exists and was never handed in. Absent: making and handing in are one. */
  submit?(wanted: WantedTemplate, id: string, signal: AbortSignal): Promise<string>;
}

/** An answer that is not what was asked for, as a sentence for the operator; `said`: the reason in the platform's words. */
export function templateReviewError(
  called: string,
  answer: ProviderResponse,
  said: string | null = null,
): OperatorError {
  if (answer.outcome === 'not_set_up') return new OperatorError(answer.sentence);
  const code = 'errorCode' in answer ? ` (${answer.errorCode})` : '';
  const reason = said === null ? '' : `: ${trimEndChars(said.slice(0, LONGEST_REASON), '. \t\r\n')}`;
  return new OperatorError(`${called} did not do what it was asked${code}${reason}.`);
}
