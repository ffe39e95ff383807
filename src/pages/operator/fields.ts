import type { FieldDef } from '../kit/forms.tsx';
import type { RefusedForm } from '../kit/typedForm.ts';

type InputField = Extract<FieldDef, { type: unknown }>;

/** A field for one line. A browser proposes nothing for it: what an operator types is about somebody else. */
export const inputField = (
  id: string,
  label: string,
  type: InputField['type'],
  more: Omit<Partial<InputField>, 'id' | 'label' | 'type'> = {},
): FieldDef => ({ id, label, type, autocomplete: 'off', ...more });

/** What was typed into a form, over the values that it begins with. */
export const filledForm = (values: Record<string, string>, { typed, faults }: RefusedForm): RefusedForm => ({
  typed: { ...values, ...typed },
  faults,
});

/** Whether every value of a form is there: each wrong one is undefined, and the form says why. */
export const areGiven = <T extends object>(
  values: T,
): values is T & { [Name in keyof T]: Exclude<T[Name], undefined> } =>
  !Object.values(values).includes(undefined);
