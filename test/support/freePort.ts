import { createServer, type Server } from 'node:net';

/** Listens on a free port of loopback, and answers the port. `::` takes IPv4 as well as IPv6. */
export function listenOnFreePort(server: Server, host = '127.0.0.1'): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, host, () => {
      const address = server.address();
      if (address !== null && typeof address === 'object') resolve(address.port);
      else reject(new Error('the server has no port'));
    });
  });
}

/*
 * Ports that a test names before anything listens there. When a program asks for any free port, Linux gives it one from 32768 on: so
 * nobody else gets one of these meanwhile.
 */
const FIRST = 20_000;
/** Each process of a run has its own ports. */
const PER_PROCESS = 1_000;
const PROCESSES = 12;

const first = FIRST + PER_PROCESS * (Number(process.env.VITEST_POOL_ID ?? 0) % PROCESSES);
/** Anywhere among them: another run on this machine has the same ones. */
let offset = Math.floor(Math.random() * PER_PROCESS);

/** A free port of loopback, to be named before anything listens there. */
export async function freePort(): Promise<number> {
  for (let tried = 0; tried < PER_PROCESS; tried += 1) {
    offset = (offset + 1) % PER_PROCESS;
    const port = first + offset;
    if (await isFree(port)) return port;
  }
  throw new Error(`none of the ports from ${first} on is free`);
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', () => resolve(false));
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)));
  });
}
