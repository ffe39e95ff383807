import type { VariableGroup } from './variable.ts';
import {
  EMAIL_VARIABLES,
  META_VARIABLES,
  PAID_VARIABLES,
  POSTMARK_VARIABLES,
  RESEND_VARIABLES,
  SES_VARIABLES,
  SMTP_VARIABLES,
  TWILIO_VARIABLES,
} from './variablesOfProviders.ts';
import {
  DATABASE_VARIABLES,
  PROVIDER_VARIABLES,
  SERVICE_VARIABLES,
  TRACE_VARIABLES,
} from './variablesOfService.ts';

/** In the order of the page. */
export const variableGroups: readonly VariableGroup[] = [
  SERVICE_VARIABLES,
  DATABASE_VARIABLES,
  PROVIDER_VARIABLES,
  EMAIL_VARIABLES,
  SMTP_VARIABLES,
  SES_VARIABLES,
  POSTMARK_VARIABLES,
  RESEND_VARIABLES,
  PAID_VARIABLES,
  TWILIO_VARIABLES,
  META_VARIABLES,
  TRACE_VARIABLES,
];

/** Every variable that Waypost reads. A reader takes a name from here, so none can be read that is not described. */
export const variables = {
  ...SERVICE_VARIABLES.variables,
  ...DATABASE_VARIABLES.variables,
  ...PROVIDER_VARIABLES.variables,
  ...EMAIL_VARIABLES.variables,
  ...SMTP_VARIABLES.variables,
  ...SES_VARIABLES.variables,
  ...POSTMARK_VARIABLES.variables,
  ...RESEND_VARIABLES.variables,
  ...PAID_VARIABLES.variables,
  ...TWILIO_VARIABLES.variables,
  ...META_VARIABLES.variables,
  ...TRACE_VARIABLES.variables,
};

type All = typeof variables;

export type VariableName = keyof All;

type NamesWhere<Condition> = {
  [Name in VariableName]: All[Name] extends Condition ? Name : never;
}[VariableName];

export type IntegerName = NamesWhere<{ kind: 'integer' }>;
export type IntegerWithDefault = NamesWhere<{ kind: 'integer'; default: number }>;
export type ChoiceName = NamesWhere<{ kind: 'choice' }>;
export type TextWithDefault = NamesWhere<{ kind: 'text'; default: string }>;
export type NameWithFile = NamesWhere<{ file: true }>;
export type OptionOf<Name extends ChoiceName> = All[Name]['options'][number];
