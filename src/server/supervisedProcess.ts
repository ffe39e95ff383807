import { Socket } from 'node:net';
import { databaseFaultOf, explainDatabaseError } from '../db/faults.ts';
import { readConfig } from '../environment/config.ts';
import { OperatorError } from '../kit/errors.ts';
import { createLog } from '../kit/log.ts';
import { type Assignment, isToProcess, type Question, type ToSupervisor } from './processMessages.ts';
import { connectSiblings } from './siblings.ts';
import { prepareShutdown } from './signals.ts';
import { runService, type Service } from './wire.ts';

/* The entry of a process that a supervisor started (supervisor.ts). */

const shutdown = prepareShutdown({ interrupted: 0 });

// Without its supervisor it finishes its requests in progress, and ends.
process.once('disconnect', () => shutdown.begin(1));

const send = (message: ToSupervisor): void => {
  if (process.connected) process.send?.(message);
};
const { siblings, handleResult } = connectSiblings(send);
let service: Service | null = null;

process.on('message', (message: unknown, handle: unknown) => {
  if (!isToProcess(message)) return;
  switch (message.kind) {
    case 'start':
      void start(message.assignment).catch(fail);
      return;
    case 'stop':
      shutdown.begin(0);
      return;
    case 'connection':
      // First, because the next one waits for this.
      send({ kind: 'taken' });
      if (handle instanceof Socket) serve(handle);
      return;
    case 'question':
      void answer(message.id, message.question);
      return;
    case 'result':
      handleResult(message);
  }
});

send({ kind: 'listening' });

async function start({ name, roles, serves, ...place }: Assignment): Promise<void> {
  const config = { ...readConfig(process.env), roles };
  const log = createLog(config.logLevel, { process: name });
  service = await runService({ ...place, config, log, siblings }, null, shutdown);
  if (serves) {
    await service.app.ready();
    // It does not listen itself, and Node watches the times of a server's requests from this event on.
    service.app.server.emit('listening');
    shutdown.add(async () => send({ kind: 'stopping' }));
  }
  service.metrics.gauge('waypost_processes', 'Running processes, the supervisor not counted.', async () => 1);
  send({ kind: 'ready' });
}

/** As if the server had accepted the connection itself. */
function serve(socket: Socket): void {
  socket.allowHalfOpen = true;
  if (service === null) socket.destroy();
  else service.app.server.emit('connection', socket);
}

/** The supervisor prints the sentence, so that it appears once. */
function fail(error: unknown): void {
  const known = databaseFaultOf(error) === null ? error : explainDatabaseError(error);
  if (known instanceof OperatorError) send({ kind: 'failed', sentence: known.message });
  else console.error(known);
  shutdown.begin(1);
}

async function answer(id: number, question: Question): Promise<void> {
  if (question === 'clock') await service?.clock.sync().catch(() => {});
  const metrics = question === 'clock' ? null : await service?.metrics.snapshot().catch(() => null);
  send({ kind: 'answer', id, metrics: metrics ?? null });
}
