import type { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';

declare module 'fastify' {
  interface FastifyRequest {
    /** The stream of the response: it is destroyed with the connection. */
    stream: Readable | null;
    /** Called once the response is sent or the caller has gone. */
    onEnd: (() => void) | null;
  }
}

/** Whether the caller hung up: nothing more needs to be read for them. */
export const isGone = ({ raw }: FastifyRequest): boolean => raw.socket.destroyed;

/** Fastify does not notice the end of a connection on which the response still waits behind another one; the app's hook does. */
export function sendStream(request: FastifyRequest, reply: FastifyReply, stream: Readable): FastifyReply {
  request.stream = stream;
  if (isGone(request)) stream.destroy();
  return reply.send(stream);
}

/** Server-sent events. A connection that outlives its stream would delay the server's stop. */
export function sendEventStream(request: FastifyRequest, reply: FastifyReply, stream: Readable) {
  reply.type('text/event-stream; charset=utf-8');
  reply.headers({ 'x-accel-buffering': 'no', connection: 'close' });
  return sendStream(request, reply, stream);
}
