/** Forms of the pages for people of a shop. They work without script. */

interface ActionFormProps {
  action: string;
  formToken: string;
  /** For a form with a file. */
  enctype?: 'multipart/form-data';
  children: JSX.Element;
}

/** A form that carries the token of its session. */
export function ActionForm({ action, formToken, enctype, children }: ActionFormProps): JSX.Element {
  return (
    <form method="post" action={action} enctype={enctype}>
      <input type="hidden" name="csrf" value={formToken} />
      {children}
    </form>
  );
}

interface FieldProps {
  id: string;
  label: string;
  value?: string | undefined;
  hint?: string;
  /** What is wrong with what was typed. */
  fault?: string | undefined;
  required?: boolean;
}

interface TextFieldProps extends FieldProps {
  type: 'email' | 'search' | 'text' | 'tel' | 'url' | 'date' | 'datetime-local' | 'number' | 'file';
  autocomplete?: string;
  maxlength?: number;
  /** The types of files. */
  accept?: string;
}

export function FormField(props: TextFieldProps): JSX.Element {
  const { id, type, value, required = false, autocomplete, maxlength, accept } = props;
  return (
    <Labelled {...props}>
      <input
        id={id}
        name={id}
        type={type}
        value={value}
        required={required}
        autocomplete={autocomplete}
        maxlength={maxlength}
        accept={accept}
        {...described(props)}
      />
    </Labelled>
  );
}

/** For a text of several lines. */
export function TextAreaField(props: FieldProps & { rows: number; maxlength?: number }): JSX.Element {
  const { id, value, required = false, rows, maxlength } = props;
  return (
    <Labelled {...props}>
      <textarea
        id={id}
        name={id}
        rows={String(rows)}
        required={required}
        maxlength={maxlength}
        {...described(props)}
      >
        {value}
      </textarea>
    </Labelled>
  );
}

export function SelectField(
  props: FieldProps & { options: readonly (readonly [value: string, label: string])[] },
): JSX.Element {
  const { id, value = '', required = false, options } = props;
  return (
    <Labelled {...props}>
      <select id={id} name={id} required={required} {...described(props)}>
        {options.map(([option, label]) => (
          <option value={option} selected={option === value}>
            {label}
          </option>
        ))}
      </select>
    </Labelled>
  );
}

/** The fields of a filter in one line where there is room. It is sent by GET: the filtered page has an address. */
export function FilterBar({ action, children }: { action: string; children: JSX.Element }): JSX.Element {
  return (
    <form method="get" action={action} class="filter-bar">
      {children}
      <button class="button quiet" type="submit">
        Filter
      </button>
    </form>
  );
}

interface ConfirmSheetProps extends ActionFormProps {
  title: string;
  /** The words of the button that does it. */
  label: string;
  isDangerous?: boolean;
  back: { href: string; label: string };
}

/** A page that says what an act would do, and asks. `children` explain it and may hold fields. */
export function ConfirmSheet(props: ConfirmSheetProps): JSX.Element {
  const { title, action, formToken, label, isDangerous = false, back, children } = props;
  return (
    <div class="sheet">
      <h1>{title}</h1>
      <ActionForm action={action} formToken={formToken}>
        <div class="stack">
          {children}
          <button class={isDangerous ? 'button dangerous' : 'button'} type="submit">
            {label}
          </button>
        </div>
      </ActionForm>
      <p>
        <a href={back.href}>{back.label}</a>
      </p>
    </div>
  );
}

function Labelled({ id, label, hint, fault, children }: FieldProps & { children: JSX.Element }): JSX.Element {
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children}
      {fault !== undefined && (
        <p class="fault" id={`${id}-fault`}>
          {fault}
        </p>
      )}
      {hint !== undefined && (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
    </div>
  );
}

/** Names the texts that explain a field, for those who hear the page. */
function described({ id, hint, fault }: FieldProps): {
  'aria-describedby'?: string;
  'aria-invalid'?: 'true';
} {
  const texts = [
    ...(fault === undefined ? [] : [`${id}-fault`]),
    ...(hint === undefined ? [] : [`${id}-hint`]),
  ];
  return {
    ...(texts.length > 0 && { 'aria-describedby': texts.join(' ') }),
    ...(fault !== undefined && { 'aria-invalid': 'true' }),
  };
}
