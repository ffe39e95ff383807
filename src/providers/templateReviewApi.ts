import { OperatorError } from '../kit/errors.ts';
import { trimEndChars } from '../kit/trimEndChars.ts';
import type { ProviderResponse } from './provider.ts';

const REASON_LENGTH_MAX = 300;

/** A template as it should be. Placeholders in the body are written `{{1}}`. */
export interface WantedTemplate {
  name: string;
  language: string;
  category: string;
  body: string;
  /** One value per placeholder, for the reviewers. */
  example: readonly string[];
}

/** The API through which templates are reviewed. */
export interface TemplateReviewApi {
  /** A template's review status, in the platform's own word; null if no template has this name. */
  find(wanted: WantedTemplate, signal: AbortSignal): Promise<{ status: string; id: string } | null>;
  /** Creates the template and submits it for review; resolves to the review status. */
  create(wanted: WantedTemplate, signal: AbortSignal): Promise<string>;
  /** Submits an existing template that was never submitted. Absent if creating also submits. */
  submit?(wanted: WantedTemplate, id: string, signal: AbortSignal): Promise<string>;
}

/** An unexpected response as a sentence for the operator; `said` is the reason in the platform's words. */
export function templateReviewError(called: string, answer: ProviderResponse, said: string | null = null) {
  if (answer.outcome === 'not_set_up') return new OperatorError(answer.sentence);
  const code = 'errorCode' in answer ? ` (${answer.errorCode})` : '';
  const reason = said === null ? '' : `: ${trimEndChars(said.slice(0, REASON_LENGTH_MAX), '. \t\r\n')}`;
  return new OperatorError(`${called} refused the request${code}${reason}.`);
}
