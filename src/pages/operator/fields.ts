import { email } from '../../kit/typedValues.ts';
import type { FieldDef } from '../kit/forms.tsx';
import { typedField } from '../kit/typedForm.ts';

type InputField = Extract<FieldDef, { type: unknown }>;

/** A field for one line. A browser proposes nothing for it: what an operator types is about somebody else. */
export const inputField = (
  id: string,
  label: string,
  type: InputField['type'],
  more: Omit<Partial<InputField>, 'id' | 'label' | 'type'> = {},
): FieldDef => ({ id, label, type, autocomplete: 'off', ...more });

/** A form with one email address. */
export const ADDRESS_FORM = { email: typedField('This', email) };
