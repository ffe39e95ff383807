import type { BenchEnvironment } from './environment.ts';
import { startBenchServer } from './program.ts';
import type { Sized } from './rows/size.ts';
import { seedHistory } from './seed.ts';

/** Runs `work` with a shop of 1,000,000 messages and one of 1,000, each with a server of its own. */
export async function withSizes(
  world: BenchEnvironment,
  work: (large: Sized, small: Sized) => Promise<void>,
): Promise<void> {
  const open = async (name: string, messages: number, recipients: number): Promise<Sized> => {
    const database = await world.database(name, recipients);
    await seedHistory(database, { messages, nudges: 'delivered' });
    return { database, program: await startBenchServer(database.url, { ROLES: 'api' }) };
  };
  const [large, small] = await Promise.all([open('large', 1_000_000, 100_000), open('small', 1_000, 100)]);
  try {
    await work(large, small);
  } finally {
    await large.program.stop();
    await small.program.stop();
  }
  await large.database.drop();
  await small.database.drop();
}
