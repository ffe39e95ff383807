import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from './freePort.ts';
import { eventually } from './waiting.ts';

const runs = (program: string): boolean => spawnSync(program, ['--version']).status === 0;

/** Whether Debian's package `prometheus` is here. */
export const hasPromtool = runs('promtool');
export const hasPrometheus = runs('prometheus');

/** What promtool printed, and whether it was content. */
export function promtool(...args: string[]): { ok: boolean; printed: string } {
  const { status, stdout, stderr } = spawnSync('promtool', args, { encoding: 'utf8' });
  return { ok: status === 0, printed: stdout + stderr };
}

export interface Prometheus {
  /** The `data` of an answer of its API. */
  query(path: string): Promise<unknown>;
  stop(): Promise<void>;
}

/** A Prometheus that scrapes this address every second, with these rules and a store for exemplars. */
export async function startPrometheus(target: string, rules: string): Promise<Prometheus> {
  const folder = await mkdtemp(join(tmpdir(), 'waypost-prometheus-'));
  const config = join(folder, 'prometheus.yml');
  await writeFile(
    config,
    JSON.stringify({
      global: { scrape_interval: '1s', evaluation_interval: '1s' },
      rule_files: [rules],
      scrape_configs: [{ job_name: 'waypost', static_configs: [{ targets: [new URL(target).host] }] }],
    }),
  );
  const port = await freePort();
  const child: ChildProcess = spawn(
    'prometheus',
    [
      `--config.file=${config}`,
      `--storage.tsdb.path=${join(folder, 'data')}`,
      `--web.listen-address=127.0.0.1:${port}`,
      '--enable-feature=exemplar-storage',
    ],
    { stdio: 'ignore' },
  );
  const ended = once(child, 'exit');
  const query = async (path: string): Promise<unknown> => {
    const response = await fetch(`http://127.0.0.1:${port}/api/v1/${path}`);
    const { status, data } = Object(await response.json());
    if (status !== 'success') throw new Error(`Prometheus did not answer ${path}`);
    return data;
  };
  await eventually(() => query('status/runtimeinfo'));
  return {
    query,
    async stop() {
      child.kill();
      await ended;
      await rm(folder, { recursive: true, force: true });
    },
  };
}
