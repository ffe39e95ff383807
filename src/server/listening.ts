import { createServer } from 'node:net';
import { OperatorError } from '../kit/errors.ts';

/** A free port, so that links can name it before anything listens on it. */
export function claimPort(host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', (error) => reject(explainListenError(error, host, 0)));
    probe.listen(0, host, () => {
      const address = probe.address();
      const port = typeof address === 'object' && address !== null ? address.port : 0;
      probe.close(() => resolve(port));
    });
  });
}

export function explainListenError(error: unknown, host: string, port: number): unknown {
  const code = error instanceof Error && 'code' in error ? error.code : null;
  switch (code) {
    case 'EADDRINUSE':
      return new OperatorError(
        `Port ${port} on ${host} is taken by another program: stop it, or set PORT to another.`,
      );
    case 'EACCES':
      return new OperatorError(`Port ${port} may not be used by this user: set PORT to one above 1023.`);
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return new OperatorError(`HOST is "${host}", which is not an address of this machine.`);
    default:
      return error;
  }
}
