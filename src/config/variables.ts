import type { Variable, Variables } from './variable.ts';
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

/** Every variable that Waypost reads. A reader takes a name from here, so none can be read that is not described. */
export const variables = {
  ...SERVICE_VARIABLES,
  ...DATABASE_VARIABLES,
  ...TRACE_VARIABLES,
  ...PROVIDER_VARIABLES,
  ...EMAIL_VARIABLES,
  ...SMTP_VARIABLES,
  ...SES_VARIABLES,
  ...POSTMARK_VARIABLES,
  ...RESEND_VARIABLES,
  ...PAID_VARIABLES,
  ...TWILIO_VARIABLES,
  ...META_VARIABLES,
} as const;

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

interface VariableGroup {
  title: string;
  /** When they are read. */
  about: string;
  variables: Variables;
}

/** In the order of the page. */
export const variableGroups: readonly VariableGroup[] = [
  { title: 'Service', about: 'What a process does and where.', variables: SERVICE_VARIABLES },
  { title: 'Database', about: 'Where everything is kept.', variables: DATABASE_VARIABLES },
  {
    title: 'Traces',
    about: 'OpenTelemetry ([traces](operations.md#traces)).',
    variables: TRACE_VARIABLES,
  },
  {
    title: 'Providers',
    about: 'Who sends. The variables of a provider are read only where it is chosen here.',
    variables: PROVIDER_VARIABLES,
  },
  { title: 'Email', about: 'With any email provider but the sandbox.', variables: EMAIL_VARIABLES },
  { title: 'SMTP', about: 'With `EMAIL_PROVIDER=smtp`.', variables: SMTP_VARIABLES },
  { title: 'Amazon SES', about: 'With `EMAIL_PROVIDER=ses`.', variables: SES_VARIABLES },
  { title: 'Postmark', about: 'With `EMAIL_PROVIDER=postmark`.', variables: POSTMARK_VARIABLES },
  { title: 'Resend', about: 'With `EMAIL_PROVIDER=resend`.', variables: RESEND_VARIABLES },
  {
    title: 'SMS and WhatsApp',
    about: 'With any of their providers but the sandbox.',
    variables: PAID_VARIABLES,
  },
  {
    title: 'Twilio',
    about: 'With `SMS_PROVIDER=twilio` or `WHATSAPP_PROVIDER=twilio`.',
    variables: TWILIO_VARIABLES,
  },
  { title: 'Meta', about: 'With `WHATSAPP_PROVIDER=meta`.', variables: META_VARIABLES },
];

/** The value that holds when a variable is unset, for the page. */
export function defaultOf(variable: Variable): string {
  if (variable.unset !== undefined) return variable.unset;
  if (variable.default === undefined) return 'unset';
  return variable.default === '' ? 'empty' : `\`${variable.default}\``;
}
