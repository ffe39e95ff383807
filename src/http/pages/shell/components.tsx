/** The parts that pages for people of a shop are made of. */

export type BadgeTone = 'good' | 'waiting' | 'bad' | 'plain';

export function Badge({ tone, text }: { tone: BadgeTone; text: string }): JSX.Element {
  return (
    <span class={`badge ${tone}`} safe>
      {text}
    </span>
  );
}

/** A moment in UTC; the page's script shows it in the viewer's zone, with the exact moment on hover. */
export function ZonedTime({ at }: { at: string }): JSX.Element {
  return (
    <time datetime={at} title={at} data-moment safe>
      {`${at.slice(0, 10)} ${at.slice(11, 16)} UTC`}
    </time>
  );
}

/** What an act just did, or why it did not. */
export function FlashNote({ tone, text }: { tone: BadgeTone; text: string }): JSX.Element {
  return (
    <p class={`flash-note ${tone}`} role="status" safe>
      {text}
    </p>
  );
}

export function EmptyState({ title, children }: { title: string; children: JSX.Element }): JSX.Element {
  return (
    <div class="empty-state">
      <h2 safe>{title}</h2>
      {children}
    </div>
  );
}

interface ActionFormProps {
  action: string;
  formToken: string;
  children: JSX.Element;
}

/** A form that carries the token of its session. */
export function ActionForm({ action, formToken, children }: ActionFormProps): JSX.Element {
  return (
    <form method="post" action={action}>
      <input type="hidden" name="csrf" value={formToken} />
      {children}
    </form>
  );
}

interface FieldProps {
  id: string;
  label: string;
  type: 'email' | 'search';
  value?: string | undefined;
  hint?: string;
  required?: boolean;
  autocomplete?: string;
}

export function FormField(props: FieldProps): JSX.Element {
  const { id, label, type, value, hint, required = false, autocomplete } = props;
  return (
    <div class="field">
      <label for={id} safe>
        {label}
      </label>
      <input
        id={id}
        name={id}
        type={type}
        value={value}
        required={required}
        autocomplete={autocomplete}
        aria-describedby={hint === undefined ? undefined : `${id}-hint`}
      />
      {hint === undefined ? (
        ''
      ) : (
        <p class="hint" id={`${id}-hint`} safe>
          {hint}
        </p>
      )}
    </div>
  );
}
