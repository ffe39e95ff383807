import type { Template } from 'liquidjs';
import { BODY_MAX, SUBJECT_MAX } from '../config/limits.ts';
import { compileText, faultOf } from './compile.ts';
import type { TextSource } from './defaults.ts';
import { renderTemplates, type TextFault } from './liquid.ts';
import { LONGEST_EXAMPLE, type OrderVariables, SHORTEST_EXAMPLE, withinLimits } from './variables.ts';

export type { OrderVariables } from './variables.ts';

export interface SourceFault extends TextFault {
  field: keyof TextSource;
}

/**
 * The message that a text makes, within a push's limits. Never throws: a subject or a body that fails or renders blank is replaced
 * by the fallback's.
 */
export function renderOrderText(source: TextSource, given: OrderVariables, fallback: TextSource): TextSource {
  const variables = withinLimits(given);
  return {
    subject: cutAtWord(
      renderedLine(source.subject, variables) || renderedLine(fallback.subject, variables),
      SUBJECT_MAX,
    ),
    body: fittingBody(source.body, variables) || cutAtWord(renderedBody(fallback.body, variables), BODY_MAX),
  };
}

/** What is wrong with a text, so that it cannot be saved: what renders blank can, and is replaced when it does. */
export const checkTextSource = ({ subject, body }: TextSource): SourceFault[] => [
  ...faultsOf(subject, () => null).map((fault) => ({ ...fault, field: 'subject' as const })),
  ...faultsOf(body, tooLong).map((fault) => ({ ...fault, field: 'body' as const })),
];

function faultsOf(source: string, tooLongIn: (rendered: string) => string | null): TextFault[] {
  const compiled = compileText(source);
  if (!compiled.ok) return compiled.faults;
  for (const example of [LONGEST_EXAMPLE, SHORTEST_EXAMPLE]) {
    const result = render(compiled.templates, example);
    if (!result.ok) return [result.fault];
    const message = tooLongIn(result.text);
    if (message !== null) return [{ line: 1, message }];
  }
  return [];
}

function tooLong(rendered: string): string | null {
  const length = lengthOf(tidy(rendered));
  return length > BODY_MAX
    ? `with the longest values it renders ${length} characters, and a message holds ${BODY_MAX}`
    : null;
}

const fittingBody = (source: string, variables: OrderVariables): string => {
  const body = renderedBody(source, variables);
  return lengthOf(body) > BODY_MAX ? '' : body;
};

const renderedBody = (source: string, variables: OrderVariables): string => tidy(rendered(source, variables));

const renderedLine = (source: string, variables: OrderVariables): string =>
  tidy(rendered(source, variables)).replace(/\s+/g, ' ');

/** Empty for a text that fails. */
function rendered(source: string, variables: OrderVariables): string {
  const compiled = compileText(source);
  if (!compiled.ok) return '';
  const result = render(compiled.templates, variables);
  return result.ok ? result.text : '';
}

type Rendered = { ok: true; text: string } | { ok: false; fault: TextFault };

function render(templates: Template[], variables: OrderVariables): Rendered {
  try {
    return { ok: true, text: renderTemplates(templates, variables) };
  } catch (error) {
    return { ok: false, fault: faultOf(error) };
  }
}

/** Without the empty lines that tags leave, and without what Postgres cannot store: a filter can split a character. */
const tidy = (text: string): string =>
  text
    .replace(/\p{Cs}|\0/gu, '\u{FFFD}')
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim();

const lengthOf = (text: string): number => [...text].length;

/** `Your order 1001 is…` */
function cutAtWord(text: string, max: number): string {
  const points = [...text];
  if (points.length <= max) return text;
  const kept = points.slice(0, max - 1).join('');
  const atWord = kept.replace(/\s+\S*$/, '');
  return `${atWord === '' ? kept : atWord}…`;
}
