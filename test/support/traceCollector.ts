import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import { listenOnFreePort } from './freePort.ts';

/** A span as a collector gets it. */
export interface ExportedSpan {
  name: string;
  kind: 'internal' | 'server' | 'client' | 'producer' | 'consumer';
  traceId: string;
  spanId: string;
  /** Empty: it begins its trace. */
  parentSpanId: string;
  attributes: Record<string, unknown>;
  /** As `trace/span`. */
  links: string[];
  failed: boolean;
  /** The attributes of the process that it comes from. */
  resource: Record<string, unknown>;
}

/** A receiver of OTLP over HTTP, in JSON. */
export interface TraceCollector {
  url: string;
  spans(): ExportedSpan[];
  /** The bodies as they came. */
  bodies: string[];
  headers: IncomingHttpHeaders[];
  close(): void;
}

const KINDS = ['internal', 'internal', 'server', 'client', 'producer', 'consumer'] as const;
const STATUS_ERROR = 2;

/** `answer` may refuse, or never answer. */
export async function startTraceCollector(
  answer: (response: ServerResponse) => void = (response) =>
    response.setHeader('content-type', 'application/json').end('{}'),
): Promise<TraceCollector> {
  const bodies: string[] = [];
  const headers: IncomingHttpHeaders[] = [];
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      if (request.method !== 'POST' || request.url !== '/v1/traces') {
        response.writeHead(404).end();
        return;
      }
      headers.push(request.headers);
      bodies.push(Buffer.concat(parts).toString('utf8'));
      answer(response);
    });
  });
  const port = await listenOnFreePort(server);
  return {
    url: `http://127.0.0.1:${port}`,
    bodies,
    headers,
    spans: () => bodies.flatMap(spansIn),
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

interface OtlpAttribute {
  key: string;
  value: Record<string, unknown>;
}

interface OtlpSpan {
  name: string;
  kind: number;
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  attributes?: OtlpAttribute[];
  links?: { traceId: string; spanId: string }[];
  status?: { code?: number };
}

interface OtlpBody {
  resourceSpans: { resource: { attributes: OtlpAttribute[] }; scopeSpans: { spans: OtlpSpan[] }[] }[];
}

function spansIn(body: string): ExportedSpan[] {
  const { resourceSpans }: OtlpBody = JSON.parse(body);
  return resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap(({ spans }) =>
      spans.map(({ name, kind, traceId, spanId, parentSpanId = '', attributes, links = [], status }) => ({
        name,
        kind: KINDS[kind] ?? 'internal',
        traceId,
        spanId,
        parentSpanId,
        attributes: valuesOf(attributes),
        links: links.map((link) => `${link.traceId}/${link.spanId}`),
        failed: status?.code === STATUS_ERROR,
        resource: valuesOf(resource.attributes),
      })),
    ),
  );
}

const valuesOf = (attributes: OtlpAttribute[] = []): Record<string, unknown> =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));

/** The only span of this name; fails with the names that there are. */
export function spanNamed(spans: readonly ExportedSpan[], name: string): ExportedSpan {
  const [found, ...others] = spans.filter((span) => span.name === name);
  if (!found || others.length > 0)
    throw new Error(
      `expected one span "${name}" among: ${spans.map((span) => span.name).join(', ') || 'none'}`,
    );
  return found;
}

/** Its `traceparent`, where it is sampled. */
export const placeOf = ({ traceId, spanId }: ExportedSpan): string => `00-${traceId}-${spanId}-01`;
