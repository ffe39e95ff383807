import { ConfirmSheet } from '../kit/forms.tsx';
import type { Visit } from './context.ts';
import type { Page } from './layout.tsx';

interface Confirmation extends Pick<Page, 'title' | 'at' | 'operatorAt' | 'status' | 'children'> {
  /** The title if not given. */
  question?: string;
  action: string;
  /** The words of the button that does it. */
  label: string;
  isDangerous?: boolean;
  back: { href: string; label: string };
}

/** A page that says what an action would do, and asks. */
export const confirmPage = (
  { session }: Visit,
  { title, question = title, action, label, isDangerous = false, back, children, ...page }: Confirmation,
): Page => ({
  ...page,
  title,
  heading: null,
  children: (
    <ConfirmSheet
      title={question}
      action={action}
      formToken={session.formToken}
      label={label}
      isDangerous={isDangerous}
      back={back}
    >
      {children}
    </ConfirmSheet>
  ),
});
