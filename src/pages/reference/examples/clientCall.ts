import { isObject } from '../../../kit/json.ts';
import type { ExampleCall } from './call.ts';
import { clientMethods } from './clientMethods.ts';

/** A call as a client makes it: each of our clients has the methods of the TypeScript one, and takes the same in the same order. */
interface ClientCall {
  /** Such as `messages.push`. */
  method: string;
  values: readonly unknown[];
  /** It answers with a loop over all pages. */
  isPaged: boolean;
}

export function clientCallOf({ operationId, pathValues, body }: ExampleCall): ClientCall {
  const client = clientMethods[operationId];
  if (client === undefined) throw new Error(`the client has no method for ${operationId}`);
  // The values of the path come first, in their order; then the body, or the field of it that the method takes by name.
  const values = client.takes.flatMap((name, position) => {
    const inPath = pathValues[position];
    if (inPath !== undefined) return [inPath];
    return name === 'options' || name === 'query' || body === undefined ? [] : [argumentIn(body, name)];
  });
  return { method: client.method, values, isPaged: client.isPaged };
}

function argumentIn(body: unknown, name: string): unknown {
  if (!isObject(body)) return body;
  const [only, ...others] = Object.values(body);
  if (Array.isArray(only) && others.length === 0) return only;
  return Object.hasOwn(body, name) ? body[name] : body;
}
