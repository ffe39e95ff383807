import { createServer, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { wallMs } from '../../bench/hostPauses.ts';
import { SECOND } from '../../src/kit/clock.ts';
import { listenUntilEnd } from '../faultProxy.ts';
import type { ProviderFormat } from './providerFormats.ts';
import type { FaultKind, Faults, ProviderLog } from './providerLog.ts';

/** Of an answer that is late: well within the time limit of a call. */
const LATE_MS = 2 * SECOND;

/** A provider's API that logs every request and injects faults. Answers its port. */
export function openHttpProvider(
  name: string,
  format: ProviderFormat,
  log: ProviderLog,
  faults: Faults,
  onAccepted: (reference: string) => void,
): Promise<number> {
  let ids = 0;
  const keysTaken = new Set<string>();
  const server = createServer(async (request, response) => {
    const fault = faults.next();
    log.count(fault);
    if (fault === 'resets before') return void request.socket.resetAndDestroy();
    const body = await text(request).catch(() => null);
    if (body === null) return;
    const reference = format.referenceIn(body);
    if (reference === null) return void response.writeHead(400).end();
    if (fault === 'answers late' || fault === 'refuses late') await sleep(LATE_MS);
    if (faults.endsConnections) response.setHeader('connection', 'close');
    const key = format.keyIn?.(request.headers) ?? null;
    const isRepeated = key !== null && keysTaken.has(key);
    const accepted = isRepeated || (fault !== 'refuses' && fault !== 'refuses late');
    const reports = fault !== 'reports nothing';
    if (!isRepeated) {
      log.submits.push({ provider: name, reference, accepted, reports, at: wallMs() });
      if (accepted && reports) onAccepted(reference);
      if (accepted && key !== null) keysTaken.add(key);
    }
    ids += 1;
    respond(response, fault, accepted ? format.accepted(`${name}${ids}`) : format.busy);
  });
  return listenUntilEnd(server);
}

function respond(response: ServerResponse, fault: FaultKind, { status, body }: ProviderFormat['busy']): void {
  const answer = JSON.stringify(body);
  const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(answer) };
  const reset = (): void => void response.socket?.resetAndDestroy();
  if (fault === 'hangs') return;
  if (fault === 'resets after') {
    reset();
    return;
  }
  response.writeHead(status, headers);
  if (fault === 'breaks off') response.write(answer.slice(0, answer.length / 2), reset);
  else response.end(answer);
}
