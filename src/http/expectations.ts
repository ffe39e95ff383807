import type { IncomingMessage } from 'node:http';
import type { FastifyInstance } from 'fastify';

/**
 * `Expect: 100-continue` asks whether the body is wanted. It is invited only once route, size, key and rate are in
 * order, so that nobody uploads what is refused. Any other expectation is not looked at, as HTTP allows: Node would
 * refuse it in a shape that is not ours.
 */
export function answerExpectations(app: FastifyInstance): void {
  const uninvited = new WeakSet<IncomingMessage>();
  app.server.on('checkContinue', (request, response) => {
    uninvited.add(request);
    app.server.emit('request', request, response);
  });
  app.server.on('checkExpectation', (request, response) => {
    app.server.emit('request', request, response);
  });
  app.addHook('preParsing', (request, reply, payload, done) => {
    if (uninvited.delete(request.raw)) reply.raw.writeContinue();
    done(null, payload);
  });
  // Whether its body comes all the same cannot be known, and the next request could be mistaken for it.
  app.addHook('onSend', (request, reply, payload, done) => {
    if (uninvited.has(request.raw)) reply.header('connection', 'close');
    done(null, payload);
  });
}
