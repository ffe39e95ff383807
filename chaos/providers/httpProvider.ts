import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { listenOnFreePort } from '../../test/support/freePort.ts';
import type { FaultKind, FaultProfile, ProviderLog } from './providerLog.ts';

/** The wire format of one provider's API. */
export interface ProviderFormat {
  name: string;
  /** Our reference in a send request; null for another request. */
  referenceIn(body: string): string | null;
  /** The response to an accepted send, with the provider's id. */
  accepted(id: string): { status: number; body: unknown };
  /** The response that nothing was accepted, and a retry is welcome. */
  busy: { status: number; body: unknown };
}

export interface HttpProvider {
  port: number;
  close(): void;
}

/** Called for each accepted send; the provider reports on it later. */
export type OnAccepted = (send: { reference: string; id: string; body: string }) => void;

/** A provider's API that logs every request and injects faults. */
export async function openHttpProvider(
  format: ProviderFormat,
  { log, faults, onAccepted }: { log: ProviderLog; faults: FaultProfile; onAccepted: OnAccepted },
): Promise<HttpProvider> {
  let ids = 0;
  const server = createServer((request, response) => {
    const fault = faults.next();
    log.count(fault);
    request.on('error', () => {});
    if (fault === 'resets before') return void request.socket.resetAndDestroy();
    void wholeBody(request).then((body) => {
      const reference = body === null ? null : format.referenceIn(body);
      if (body === null) return;
      if (reference === null) return void response.writeHead(400).end();
      const accepted = fault !== 'refuses';
      log.record({ provider: format.name, reference, accepted });
      ids += 1;
      const id = `${format.name}${ids}`;
      if (accepted) onAccepted({ reference, id, body });
      respond(request, response, fault, accepted ? format.accepted(id) : format.busy);
    });
  });
  server.on('connection', (socket) => socket.on('error', () => {}));
  const port = await listenOnFreePort(server);
  return {
    port,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** Null when the request was aborted. */
async function wholeBody(request: IncomingMessage): Promise<string | null> {
  const parts: Buffer[] = [];
  try {
    for await (const part of request) parts.push(part);
  } catch {
    return null;
  }
  return request.complete ? Buffer.concat(parts).toString('utf8') : null;
}

function respond(
  request: IncomingMessage,
  response: ServerResponse,
  fault: FaultKind,
  { status, body }: { status: number; body: unknown },
): void {
  const text = JSON.stringify(body);
  const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) };
  switch (fault) {
    case 'resets after':
      request.socket.resetAndDestroy();
      return;
    case 'hangs':
      return;
    case 'breaks off':
      response.writeHead(status, headers).write(text.slice(0, text.length / 2), () => {
        request.socket.resetAndDestroy();
      });
      return;
    default:
      response.writeHead(status, headers).end(text);
  }
}
