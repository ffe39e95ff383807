import { ConfirmSheet } from '../kit/forms.tsx';
import type { Visit } from './context.ts';
import type { Page } from './layout.tsx';

interface Confirmation
  extends Pick<Page, 'at' | 'operatorAt' | 'status' | 'within'>,
    Omit<Parameters<typeof ConfirmSheet>[0], 'formToken'> {
  /** The title if not given. */
  question?: string;
}

/** A page that says what an action would do, and asks. */
export function confirmPage({ session }: Visit, confirmation: Confirmation): Page {
  const { question = confirmation.title, ...sheet } = confirmation;
  return {
    within: [],
    ...sheet,
    heading: null,
    children: <ConfirmSheet {...sheet} title={question} formToken={session.formToken} />,
  };
}
