import { LiquidError, type Template, Tokenizer, TypeGuards } from 'liquidjs';
import { liquid, TextFailure, type TextFault } from './liquid.ts';
import { unknownVariables } from './names.ts';

export type Compiled = { ok: true; templates: Template[] } | { ok: false; faults: TextFault[] };

/** Blocks in blocks; the parser takes a part of the stack for each. */
export const DEPTH_MAX = 20;
/** Of one tag or output, for the same reason. */
export const TAG_LENGTH_MAX = 1_000;
const BLOCKS: readonly string[] = ['if', 'unless', 'case', 'for'];

/** Parses a source and checks every variable in it, also in branches that no example takes. */
export function compileText(source: string): Compiled {
  try {
    const tooMuch = passedLimit(source);
    if (tooMuch !== null) return { ok: false, faults: [tooMuch] };
    const templates = liquid.parse(source);
    const faults = unknownVariables(templates);
    return faults.length === 0 ? { ok: true, templates } : { ok: false, faults };
  } catch (error) {
    return { ok: false, faults: [faultOf(error)] };
  }
}

function passedLimit(source: string): TextFault | null {
  let depth = 0;
  let inComment = false;
  for (const token of new Tokenizer(source).readTopLevelTokens(liquid.options)) {
    if (TypeGuards.isHTMLToken(token)) continue;
    const fault = (message: string): TextFault => ({ line: lineOf(token), message });
    if (token.size() > TAG_LENGTH_MAX) return fault(`a tag is longer than ${TAG_LENGTH_MAX} characters`);
    if (!TypeGuards.isTagToken(token)) continue;
    if (inComment ? token.name === 'endcomment' : token.name === 'comment') inComment = !inComment;
    if (!inComment) depth += stepOf(token.name);
    if (depth > DEPTH_MAX) return fault(`blocks are nested more than ${DEPTH_MAX} deep`);
  }
  return null;
}

function stepOf(tag: string): number {
  if (BLOCKS.includes(tag)) return 1;
  return tag.startsWith('end') && BLOCKS.includes(tag.slice('end'.length)) ? -1 : 0;
}

const lineOf = (token: { getPosition(): number[] }): number => token.getPosition()[0] ?? 1;

/** What stopped the library, at its line. */
export function faultOf(error: unknown): TextFault {
  if (!LiquidError.is(error)) return { line: 1, message: 'cannot be read' };
  const { originalError: cause } = error;
  return {
    line: lineOf(error.token),
    message: cause instanceof TextFailure ? cause.message : inOurWords(error),
  };
}

const OUR_WORDS: readonly (readonly [RegExp, string])[] = [
  [/^tag "(.*)" not found$/s, 'unknown tag $1'],
  [/^undefined filter: (.*)$/s, 'unknown filter $1'],
  [/^(memory alloc|template render|parse length) limit exceeded$/, 'makes more than a text may'],
];

function inOurWords({ message, originalError }: LiquidError): string {
  const said = (originalError?.message ?? message).replace(/, line:\d+, col:\d+$/, '');
  for (const [pattern, words] of OUR_WORDS) if (pattern.test(said)) return said.replace(pattern, words);
  return `bad syntax: ${said}`;
}
