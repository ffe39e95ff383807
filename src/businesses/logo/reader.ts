import { FairQueue } from '../../kit/fairQueue.ts';
import { LOGO_BYTES_MAX, type Logo, logoFrom } from './logo.ts';
import { LogoRefused } from './refusal.ts';

/** Uploads of one shop that wait while no other shop's do. */
export const LOGOS_WAITING_MAX = 16;

/** One at a time, the shops in turn: a logo can keep a thread busy for a second, and uploads at once would take them all. */
export function createLogoReader(
  read: (bytes: Buffer) => Promise<Logo> = logoFrom,
): (businessId: string, bytes: Buffer) => Promise<Logo> {
  const waiting = new FairQueue<() => void>({
    maxItems: LOGOS_WAITING_MAX,
    maxBytes: LOGOS_WAITING_MAX * LOGO_BYTES_MAX,
  });
  let isReading = false;

  const turn = (businessId: string, bytes: number): Promise<void> =>
    new Promise((resolve, reject) => {
      if (!waiting.add(businessId, resolve, bytes))
        reject(new LogoRefused('Many logos are being read at the moment. Try again in a few seconds.'));
    });

  return async (businessId, bytes) => {
    if (isReading) await turn(businessId, bytes.length);
    isReading = true;
    try {
      return await read(bytes);
    } finally {
      const [next] = waiting.dequeue({ most: 1 });
      if (next) next();
      else isReading = false;
    }
  };
}
