import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type Listening, startLoopbackServer } from '../support/loopback.ts';

/** A request that arrived whole. */
export interface ReceivedRequest {
  method: string;
  path: string;
  headers: IncomingMessage['headers'];
  body: string;
}

/** What to answer: a status with a JSON body, or one of the ways in which servers let their callers down. */
export type MockReply =
  | { status: number; body?: unknown; headers?: Record<string, string> }
  /** Hangs up on seeing the head of the request. */
  | 'closes the connection before the body'
  /** Has it all, and hangs up. */
  | 'closes the connection after the body'
  | 'never answers'
  /** Begins a good answer, and hangs up. */
  | 'closes the connection during its answer'
  /** Answers without end. */
  | 'answers without end';

export interface MockApi extends Listening {
  url: string;
  taken: ReceivedRequest[];
  /** What every request is answered with from now on. */
  reply(next: MockReply): void;
}

/**
 * A provider's API on loopback until the test ends. It takes down every request that arrives whole. Reading (GET) goes well
 * whatever the reply to writing is, where `reading` knows what to answer; `writing` answers by what was asked.
 */
export async function mockApi(
  first: MockReply,
  reading: (taken: ReceivedRequest) => MockReply | null = () => null,
  writing: (taken: ReceivedRequest) => MockReply | null = () => null,
): Promise<MockApi> {
  let answer = first;
  const taken: ReceivedRequest[] = [];
  const server = createServer((request, response) => {
    if (answer === 'closes the connection before the body' && request.method === 'POST')
      return void request.socket.destroy();
    let body = '';
    request.setEncoding('utf8');
    request.on('data', (part: string) => (body += part));
    request.on('end', () => {
      const whole: ReceivedRequest = {
        method: request.method ?? '',
        path: request.url ?? '',
        headers: request.headers,
        body,
      };
      taken.push(whole);
      give(request, response, (request.method === 'GET' ? reading : writing)(whole) ?? answer);
    });
  });
  const listening = await startLoopbackServer(server);
  return {
    ...listening,
    url: `http://127.0.0.1:${listening.port}`,
    taken,
    reply: (next) => {
      answer = next;
    },
  };
}

const CHATTER = 'x'.repeat(64 * 1024);

function give(request: IncomingMessage, response: ServerResponse, reply: MockReply): void {
  switch (reply) {
    case 'closes the connection before the body':
    case 'closes the connection after the body':
      request.socket.destroy();
      return;
    case 'never answers':
      return;
    case 'closes the connection during its answer':
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' });
      response.write('{"id":"half');
      setTimeout(() => request.socket.destroy(), 20);
      return;
    case 'answers without end': {
      response.writeHead(200, { 'content-type': 'application/json' });
      const timer = setInterval(() => response.write(CHATTER), 1);
      response.on('close', () => clearInterval(timer));
      return;
    }
    default: {
      const { status, body, headers = {} } = reply;
      const text = typeof body === 'string' ? body : body === undefined ? '' : JSON.stringify(body);
      response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(text);
    }
  }
}
