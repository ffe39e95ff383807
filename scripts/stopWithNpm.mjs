import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

const LOOK_EVERY_MS = 500;
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/** The npm that runs us, directly or through a shell; undefined when there is none. To be asked while it surely lives. */
export function npmAbove() {
  if (process.env.npm_lifecycle_event === undefined) return undefined;
  return [process.ppid, parentOf(process.ppid)].find((pid) => pid > 1 && commandOf(pid).startsWith('npm'));
}

/**
 * Ends this process when that npm has ended. Whoever runs `npm start` knows npm's process number and signals that;
 * npm passes the signal on to the shell between us, if there is one, and shells die of it without a word to us.
 */
export function stopWithNpm(npm) {
  if (npm === undefined) return;
  const watch = setInterval(() => {
    if (!isAlive(npm)) process.kill(process.pid, 'SIGTERM');
  }, LOOK_EVERY_MS);
  watch.unref();
  // Once told to stop we stop: no second word, which would mean at once.
  for (const signal of SIGNALS) process.once(signal, () => clearInterval(watch));
}

function parentOf(pid) {
  return Number(psOf(pid, 'ppid'));
}

/** npm names its process after what it was asked to do: "npm start". */
function commandOf(pid) {
  return psOf(pid, 'command');
}

function psOf(pid, field) {
  try {
    if (process.platform !== 'linux') {
      return spawnSync('ps', ['-o', `${field}=`, '-p', String(pid)], {
        encoding: 'utf8',
        timeout: 5_000,
      }).stdout.trim();
    }
    if (field === 'command') return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
    return /^PPid:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  } catch {
    return '';
  }
}

function isAlive(pid) {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error.code === 'EPERM';
  }
}
