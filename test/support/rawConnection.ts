import { connect, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

/** A connection on which a test says exactly what it wants, HTTP or not, as slowly as it wants. */
export interface RawConnection {
  send(bytes: string | Uint8Array): void;
  /** Ends our side; the other may still answer. */
  end(): void;
  /** Gone at once, without a word. */
  destroy(): void;
  /** Reads nothing any more, so that what the other side sends piles up there. */
  pause(): void;
  /** Everything received, once there is a match in it. Fails when the connection closes before. */
  until(pattern: RegExp): Promise<string>;
  /** Everything received, once the other side has closed. */
  closed: Promise<string>;
}

/** `keepsOpen`: does not end its side when the other does, as a hostile peer would not. */
export async function openRawConnection(
  url: string,
  { keepsOpen = false }: { keepsOpen?: boolean } = {},
): Promise<RawConnection> {
  const { hostname, port } = new URL(url);
  const socket: Socket = connect({ port: Number(port), host: hostname, allowHalfOpen: keepsOpen });
  await new Promise<void>((resolve, reject) => socket.once('connect', resolve).once('error', reject));
  onTestFinished(() => void socket.destroy());

  let received = '';
  let isClosed = false;
  const waiting = new Set<() => void>();
  const wake = () => {
    for (const look of waiting) look();
  };
  socket.setEncoding('latin1');
  socket.on('data', (text) => {
    received += text;
    wake();
  });
  // A reset is one way of closing.
  socket.on('error', () => {});
  const closed = new Promise<string>((resolve) => {
    socket.on('close', () => {
      isClosed = true;
      wake();
      resolve(received);
    });
  });
  return {
    send: (bytes) => void socket.write(bytes),
    end: () => void socket.end(),
    destroy: () => void socket.destroy(),
    pause: () => void socket.pause(),
    closed,
    until: (pattern) =>
      new Promise((resolve, reject) => {
        const look = () => {
          if (pattern.test(received)) resolve(received);
          else if (isClosed) reject(new Error(`closed before ${pattern}: ${received}`));
          else return;
          waiting.delete(look);
        };
        waiting.add(look);
        look();
      }),
  };
}
