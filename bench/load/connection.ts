import { connect } from 'node:net';

export interface LoadResponse {
  status: number;
  body: Buffer;
}

export interface LoadConnection {
  /** The server ends a connection that was idle for long. */
  isOpen(): boolean;
  /** One request at a time. */
  request(bytes: string): Promise<LoadResponse>;
  close(): void;
}

const HEAD_END = '\r\n\r\n';
const LENGTH = /\r\ncontent-length: (\d+)/i;

/**
 * One keep-alive connection with a minimal HTTP parser, to leave the machine's cores to the measured processes. It relies on
 * Content-Length in every response.
 */
export async function openLoadConnection(port: number): Promise<LoadConnection> {
  const socket = connect({ host: '127.0.0.1', port, noDelay: true });
  await new Promise<void>((resolve, reject) => {
    socket.once('connect', resolve);
    socket.once('error', reject);
  });
  let parts: Buffer[] = [];
  let held = 0;
  let needed = 0;
  let settle: { resolve: (answer: LoadResponse) => void; reject: (error: Error) => void } | null = null;

  const fail = (error: Error): void => settle?.reject(error);
  socket.on('error', fail);
  socket.on('close', () => fail(new Error('the server closed a connection')));
  socket.on('data', (part: Buffer) => {
    parts.push(part);
    held += part.length;
    if (held < needed) return;
    const all = parts.length === 1 ? part : Buffer.concat(parts);
    const headEnd = all.indexOf(HEAD_END);
    if (headEnd === -1) return;
    const head = all.toString('latin1', 0, headEnd);
    const bodyStart = headEnd + HEAD_END.length;
    needed = bodyStart + Number(LENGTH.exec(head)?.[1] ?? 0);
    if (held < needed) {
      parts = [all];
      return;
    }
    parts = [];
    held = 0;
    needed = 0;
    settle?.resolve({ status: Number(head.slice(9, 12)), body: all.subarray(bodyStart) });
  });

  return {
    isOpen: () => !socket.destroyed && socket.writable,
    request: (bytes) =>
      new Promise((resolve, reject) => {
        settle = { resolve, reject };
        socket.write(bytes);
      }),
    close: () => socket.destroy(),
  };
}
