/** Forms of the pages for people of a shop. They work without script. */
import type { Children } from '../../kit/jsxRuntime.ts';
import { LinkLine } from './components.tsx';
import { fieldState, type RefusedForm } from './typedForm.ts';

interface ActionFormProps {
  action: string;
  formToken: string;
  /** For a form with a file. */
  enctype?: 'multipart/form-data';
  children: Children;
}

/** A form that carries the token of its session. */
export function ActionForm({ action, formToken, enctype, children }: ActionFormProps) {
  return (
    <form method="post" action={action} enctype={enctype}>
      <input type="hidden" name="csrf" value={formToken} />
      {children}
    </form>
  );
}

interface ButtonProps {
  label: string;
  look?: 'quiet' | 'dangerous' | undefined;
  /** Says more than the label, where several buttons have the same one. */
  about?: string | undefined;
}

export function SubmitButton({ label, look, about }: ButtonProps) {
  return (
    <button class={look === undefined ? 'button' : `button ${look}`} type="submit" aria-label={about}>
      {label}
    </button>
  );
}

interface PostFormProps extends ButtonProps {
  action: string;
  visit: { session: { formToken: string } };
  enctype?: ActionFormProps['enctype'];
  children?: Children;
}

/** A form of a signed-in member with one button below its fields. */
export function PostForm({ action, visit, enctype, children, ...button }: PostFormProps) {
  return (
    <ActionForm action={action} formToken={visit.session.formToken} {...(enctype && { enctype })}>
      {children === undefined ? (
        <SubmitButton {...button} />
      ) : (
        <div class="stack">
          {children}
          <div>
            <SubmitButton {...button} />
          </div>
        </div>
      )}
    </ActionForm>
  );
}

/** The same, folded until it is asked for. */
export function FoldedForm({ title, open, ...form }: PostFormProps & { title: string; open?: boolean }) {
  return (
    <details open={open}>
      <summary>{title}</summary>
      <PostForm {...form} />
    </details>
  );
}

/** Does it, or only shows what it would do, in the part of the page with the id `preview`. */
export function PreviewButtons({ path, label }: { path: string; label: string }) {
  return (
    <div class="acts">
      <SubmitButton label={label} />
      <button class="button quiet" type="submit" formaction={`${path}/preview#preview`} formnovalidate>
        Preview
      </button>
    </div>
  );
}

/** Values that a form sends back as they are. */
export function HiddenFields({ values }: { values: Readonly<Record<string, string | null>> }) {
  return (
    <>
      {Object.entries(values).map(
        ([name, value]) => value !== null && <input type="hidden" name={name} value={value} />,
      )}
    </>
  );
}

interface FieldProps {
  id: string;
  label: string;
  value?: string | undefined;
  hint?: string | undefined;
  /** What is wrong with what was typed. */
  fault?: string | undefined;
  required?: boolean;
}

interface TextFieldProps extends FieldProps {
  type: 'email' | 'search' | 'text' | 'tel' | 'url' | 'date' | 'datetime-local' | 'number' | 'file' | 'color';
  autocomplete?: string;
  inputmode?: 'numeric';
  maxlength?: number;
  /** The types of files. */
  accept?: string;
  /** What answers with `<option>`s while somebody types. */
  suggestions?: string;
}

export function FormField({ id, type, value, label, hint, fault, suggestions, ...more }: TextFieldProps) {
  return (
    <Labelled id={id} label={label} hint={hint} fault={fault}>
      <input
        id={id}
        name={id}
        type={type}
        value={value}
        {...more}
        {...(suggestions !== undefined && suggested(id, suggestions))}
        {...described(id, hint, fault)}
      />
      {suggestions !== undefined && <datalist id={`${id}-suggestions`} />}
    </Labelled>
  );
}

/** Nothing of a preview that the field stands in, which htmx hands down. */
const suggested = (id: string, path: string) => ({
  list: `${id}-suggestions`,
  'hx-post': path,
  'hx-params': `csrf,${id}`,
  'hx-trigger': 'input changed delay:200ms',
  'hx-target': `#${id}-suggestions`,
  'hx-select': 'unset',
  'hx-swap': 'innerHTML',
  'hx-sync': 'this:replace',
});

interface TextAreaProps extends FieldProps {
  rows: number;
  maxlength?: number;
}

/** For a text of several lines. */
export function TextAreaField({ id, value, label, hint, fault, ...more }: TextAreaProps) {
  return (
    <Labelled id={id} label={label} hint={hint} fault={fault}>
      <textarea id={id} name={id} {...more} {...described(id, hint, fault)}>
        {value}
      </textarea>
    </Labelled>
  );
}

interface SelectFieldProps extends FieldProps {
  options: readonly (readonly [value: string, label: string])[];
}

export function SelectField(props: SelectFieldProps) {
  const { id, value = '', label, hint, fault, required, options } = props;
  return (
    <Labelled id={id} label={label} hint={hint} fault={fault}>
      <select id={id} name={id} required={required} {...described(id, hint, fault)}>
        {options.map(([option, title]) => (
          <option value={option} selected={option === value}>
            {title}
          </option>
        ))}
      </select>
    </Labelled>
  );
}

interface CheckboxesProps extends Pick<FieldProps, 'id' | 'label' | 'hint' | 'fault'> {
  options: readonly { value: string; label: Children; title?: string }[];
  chosen: readonly string[];
}

/** Any number of choices: a form sends those that are ticked, all by the name `id`. */
export function Checkboxes({ id, label, hint, fault, options, chosen }: CheckboxesProps) {
  const { 'aria-describedby': describedBy } = described(id, hint, fault);
  return (
    <fieldset class="checkboxes" aria-describedby={describedBy}>
      <legend>{label}</legend>
      {options.map(({ value, label: text, title }) => (
        <label title={title}>
          <input type="checkbox" name={id} value={value} checked={chosen.includes(value)} />
          <span>{text}</span>
        </label>
      ))}
      <Explained id={id} hint={hint} fault={fault} />
    </fieldset>
  );
}

/** A field without what was typed into it. */
export type FieldDef = TextFieldProps | SelectFieldProps | TextAreaProps;

interface FormFieldsProps {
  fields: readonly FieldDef[];
  form: RefusedForm;
  /** What stands in the fields at first. */
  values?: Readonly<Record<string, string>>;
}

/** Fields with what was typed into them, and what is wrong with it. */
export function FormFields({ fields, form, values = {} }: FormFieldsProps) {
  return (
    <>
      {fields.map((field) => {
        const props = { ...field, ...fieldState(form, field.id, values[field.id]) };
        if ('options' in props) return <SelectField {...props} />;
        return 'rows' in props ? <TextAreaField {...props} /> : <FormField {...props} />;
      })}
    </>
  );
}

/** The fields of a filter in one line where there is room. It is sent by GET: the filtered page has an address. */
export function FilterBar({ action, children }: { action: string; children: JSX.Element }) {
  return (
    <form method="get" action={action} class="filter-bar">
      {children}
      <SubmitButton label="Filter" look="quiet" />
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

/** A page that says what an action would do, and asks. `children` explain it and may hold fields. */
export function ConfirmSheet(props: ConfirmSheetProps) {
  const { title, action, formToken, label, isDangerous = false, back, children } = props;
  return (
    <div class="sheet">
      <h1>{title}</h1>
      <ActionForm action={action} formToken={formToken}>
        <div class="stack">
          {children}
          <SubmitButton label={label} look={isDangerous ? 'dangerous' : undefined} />
        </div>
      </ActionForm>
      <LinkLine {...back} />
    </div>
  );
}

type LabelledProps = Pick<FieldProps, 'id' | 'label' | 'hint' | 'fault'> & { children: Children };

function Labelled({ id, label, hint, fault, children }: LabelledProps) {
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children}
      <Explained id={id} hint={hint} fault={fault} />
    </div>
  );
}

/** What is wrong with a field, and what it is for. */
const Explained = ({ id, hint, fault }: Pick<FieldProps, 'id' | 'hint' | 'fault'>) => (
  <>
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
  </>
);

/** Names the texts that explain a field, for screen readers. */
function described(id: string, hint: string | undefined, fault: string | undefined) {
  const texts = [fault !== undefined && `${id}-fault`, hint !== undefined && `${id}-hint`].filter(Boolean);
  return {
    'aria-describedby': texts.join(' ') || undefined,
    'aria-invalid': fault === undefined ? undefined : 'true',
  };
}
