/** The OpenAPI document as tests read it: references are followed, and operations are found by what was called. */
export interface OpenApi {
  operations: readonly DescribedOperation[];
  /** An error for those who ask for it by RFC 9457. */
  problem: DocumentSchema;
  /** The operation that this method and path call, if any. `HEAD` is answered by `GET`. */
  operationAt(method: string, path: string): DescribedOperation | null;
}

export interface DescribedOperation {
  id: string;
  method: string;
  path: string;
  parameters: readonly ApiParameter[];
  /** Null where it takes none. */
  body: { required: boolean; schema: DocumentSchema; example: unknown } | null;
  responses: ReadonlyMap<number, DescribedResponse>;
}

export interface ApiParameter {
  name: string;
  in: 'path' | 'query' | 'header';
  required: boolean;
  schema: DocumentSchema;
}

export interface DescribedResponse {
  /** Null where there is no content. */
  schema: DocumentSchema | null;
  /** The error codes it may carry; none on a success. */
  codes: readonly string[];
  /** Bodies that the document shows. */
  examples: readonly unknown[];
}

/** Plain JSON Schema, as far as the document uses it. */
export interface DocumentSchema {
  $ref?: string;
  type?: string;
  title?: string;
  enum?: string[];
  const?: string;
  anyOf?: DocumentSchema[];
  properties?: Record<string, DocumentSchema>;
  required?: string[];
  additionalProperties?: boolean;
  items?: DocumentSchema;
  minItems?: number;
  maxItems?: number;
  minLength?: number;
  maxLength?: number;
  pattern?: string;
  format?: string;
  minimum?: number;
  maximum?: number;
  description?: string;
}

interface Content {
  'application/json'?: {
    schema: DocumentSchema;
    example?: unknown;
    examples?: Record<string, { value: unknown }>;
  };
}

interface Document {
  paths: Record<string, Record<string, Described>>;
  components: { schemas: Record<string, DocumentSchema> & { Problem: DocumentSchema } };
}

interface Described {
  operationId: string;
  parameters: ApiParameter[];
  requestBody?: { required: boolean; content: Content };
  responses: Record<string, { content?: Content }>;
}

const documents = new Map<string, Promise<OpenApi>>();

/** The document that the service at this address serves, read once. */
export function openApiOf(url: string): Promise<OpenApi> {
  const known =
    documents.get(url) ??
    fetch(`${url}/openapi.json`).then(async (answer) => readOpenApi(await answer.text()));
  documents.set(url, known);
  return known;
}

export function readOpenApi(text: string): OpenApi {
  const document: Document = JSON.parse(text);
  const { schemas } = document.components;
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, described]) =>
      readOperation(method.toUpperCase(), path, described, schemas),
    ),
  );
  return {
    operations,
    problem: resolved(schemas.Problem, schemas),
    operationAt(method, path) {
      const asked = method === 'HEAD' ? 'GET' : method;
      const [bare = ''] = path.split('?');
      const fitting = operations.filter((one) => fits(one.path, bare));
      // A literal path is meant before one with a parameter, whatever methods it has.
      const meant = fitting.find((one) => one.path === bare)?.path;
      return fitting.find((one) => one.method === asked && (meant ?? one.path) === one.path) ?? null;
    },
  };
}

function readOperation(
  method: string,
  path: string,
  described: Described,
  schemas: Record<string, DocumentSchema>,
): DescribedOperation {
  const { operationId, parameters, requestBody, responses } = described;
  const schemaOf = (content: Content | undefined): DocumentSchema | null => {
    const schema = content?.['application/json']?.schema;
    return schema ? resolved(schema, schemas) : null;
  };
  const body = schemaOf(requestBody?.content);
  return {
    id: operationId,
    method,
    path,
    parameters: parameters.map((parameter) => ({
      ...parameter,
      schema: resolved(parameter.schema, schemas),
    })),
    body: body && {
      required: requestBody?.required === true,
      schema: body,
      example: requestBody?.content['application/json']?.example,
    },
    responses: new Map(
      Object.entries(responses).map(([status, { content }]) => {
        const { example, examples = {} } = content?.['application/json'] ?? {};
        const shown = Object.values(examples).map(({ value }) => value);
        return [
          Number(status),
          {
            schema: schemaOf(content),
            codes: Object.keys(examples),
            examples: example === undefined ? shown : [example],
          },
        ];
      }),
    ),
  };
}

const fits = (template: string, path: string): boolean => {
  const [wanted, given] = [template.split('/'), path.split('/')];
  return (
    wanted.length === given.length &&
    wanted.every((part, index) => part.startsWith('{') || part === given[index])
  );
};

/** The schema with what it refers to in place. The document has no circles. */
function resolved(schema: DocumentSchema, schemas: Record<string, DocumentSchema>): DocumentSchema {
  if (schema.$ref !== undefined) {
    const name = schema.$ref.replace('#/components/schemas/', '');
    const meant = schemas[name];
    if (meant === undefined) throw new Error(`the document has no schema ${schema.$ref}`);
    return resolved(meant, schemas);
  }
  const { anyOf, items, properties } = schema;
  return {
    ...schema,
    ...(anyOf && { anyOf: anyOf.map((member) => resolved(member, schemas)) }),
    ...(items && { items: resolved(items, schemas) }),
    ...(properties && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([name, field]) => [name, resolved(field, schemas)]),
      ),
    }),
  };
}
