import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { prepare } from '../scripts/prepare.mjs';
import { importBench } from './importBench.mjs';

/* npm run bench, npm run soak: measures on its own Postgres, which is deleted when the run ends. */

await prepare();
const folder = await mkdtemp(join(tmpdir(), 'waypost-bench-'));
await chmod(folder, 0o711); // as root the database runs as another user, who must reach it
const module = await importBench(join(import.meta.dirname, 'main.ts'));

const tidyUp = () => rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
for (const signal of ['SIGINT', 'SIGTERM']) {
  process.once(signal, async () => {
    await module.interrupt();
    await tidyUp();
    process.exit(1);
  });
}
try {
  await module.main(process.argv.slice(2), folder);
} catch (error) {
  console.error(module.failureText(error));
  process.exitCode = 1;
} finally {
  await tidyUp();
}
process.exit();
