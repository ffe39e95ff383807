import { AssignTag, ForTag, type Template, type Token, TypeGuards, toValueSync, Value } from 'liquidjs';
import type { TextFault } from './liquid.ts';
import { isKnownPath } from './variables.ts';

/** Above 2^53, adding one to a number may leave it as it is, and a range would never end. */
const RANGE_MAX = 10_000;
const FAULTS_MAX = 10;

/** Every variable that a text names and that does not exist, also in branches that are never taken. */
export function unknownVariables(templates: readonly Template[]): TextFault[] {
  const check = new NameCheck();
  check.walk(templates);
  return check.faults.slice(0, FAULTS_MAX);
}

class NameCheck {
  readonly faults: TextFault[] = [];
  /** The names that the text made itself, with the path for which each stands; null: a text or a number. */
  readonly #own = new Map<string, string | null>();

  walk(templates: readonly Template[]): void {
    for (const template of templates) this.#template(template);
  }

  #template(template: Template): void {
    const tokens = [...(template.arguments?.() ?? [])].flatMap(tokensIn);
    for (const token of tokens) this.#value(token);
    const children: Template[] = toValueSync(template.children?.(false, true) ?? []);
    if (template instanceof AssignTag) this.#assign(template, tokens);
    if (template instanceof ForTag) this.#loop(template, children);
    else this.walk(children);
  }

  /** In a loop over the items its variable is an item, and in it only. */
  #loop({ variable, collection }: ForTag, children: readonly Template[]): void {
    const before = [variable, 'forloop'].map((name) => [name, this.#own.get(name)] as const);
    this.#own.set('forloop', 'forloop');
    this.#own.set(variable, this.#pathOf(collection) === 'items' ? 'items.first' : null);
    this.walk(children);
    for (const [name, path] of before)
      if (path === undefined) this.#own.delete(name);
      else this.#own.set(name, path);
  }

  #assign(template: AssignTag, tokens: readonly Token[]): void {
    const [token] = tokens;
    const isList = tokens.length === 1 && token !== undefined && this.#pathOf(token) === 'items';
    for (const { content } of template.localScope()) this.#own.set(content, isList ? 'items' : null);
  }

  #value(token: Token): void {
    if (TypeGuards.isRangeToken(token)) {
      if (!startsSmall(token.lhs)) this.#add(token, `a range starts with a number up to ${RANGE_MAX}`);
      this.#value(token.rhs);
    } else if (TypeGuards.isPropertyAccessToken(token)) {
      const path = this.#pathOf(token);
      if (path === null) this.#add(token, `unknown variable ${token.getText()}`);
    }
  }

  #add(token: Token, message: string): void {
    if (this.faults.length < FAULTS_MAX) this.faults.push({ line: token.getPosition()[0] ?? 1, message });
  }

  /** As a path of ours, `text` for what the text made itself; null if there is no such thing. */
  #pathOf(token: Token): string | null {
    if (!TypeGuards.isPropertyAccessToken(token) || token.variable !== undefined) return null;
    const [root, ...steps] = token.props.map(stepOf);
    if (root === undefined || root === null || steps.includes(null)) return null;
    const name = root.replace(/^\./, '');
    const own = this.#own.get(name);
    if (own === null) return steps.length === 0 || steps.join('') === '.size' ? 'text' : null;
    const path = `${own ?? name}${steps.join('')}`;
    return isKnownPath(path) ? path : null;
  }
}

const startsSmall = (token: Token): boolean =>
  TypeGuards.isNumberToken(token) && Math.abs(token.content) <= RANGE_MAX;

/** `.name` or `[0]`; null for a step that only rendering would know. */
function stepOf(token: Token): string | null {
  if (TypeGuards.isWordToken(token) || TypeGuards.isQuotedToken(token)) return `.${token.content}`;
  return TypeGuards.isNumberToken(token) ? `[${token.content}]` : null;
}

type Argument =
  NonNullable<ReturnType<NonNullable<Template['arguments']>>> extends Iterable<infer One> ? One : never;

function tokensIn(argument: Argument): Token[] {
  if (!(argument instanceof Value)) return [argument];
  const { initial, filters } = argument;
  const given = filters.flatMap(({ args }) => args).map((arg) => (Array.isArray(arg) ? arg[1] : arg));
  return [...initial.postfix, ...given.filter((token) => token !== undefined)];
}
