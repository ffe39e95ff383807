import { mkdirSync, readFileSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const HEARTBEAT_MS = 1_000;
/** A holder that shows no sign of life for so long is gone, even if its process number has a new owner. */
const STALE_MS = 15_000;
const LOOK_AGAIN_MS = 200;

/** Runs `work` while no other process does, by a folder that only one can make. Waits; takes over from the dead. */
export async function exclusively(folder, say, work) {
  mkdirSync(dirname(folder), { recursive: true });
  for (let told = false; !take(folder); ) {
    if (isAbandoned(folder)) {
      remove(folder);
      continue;
    }
    if (!told) say('Another Waypost is being made ready in this folder; waiting for it …');
    told = true;
    await sleep(LOOK_AGAIN_MS);
  }
  const heartbeat = setInterval(() => touch(folder), HEARTBEAT_MS);
  try {
    return await work();
  } finally {
    clearInterval(heartbeat);
    if (ownerOf(folder) === process.pid) remove(folder);
  }
}

function take(folder) {
  try {
    mkdirSync(folder);
  } catch (error) {
    if (error.code === 'EEXIST') return false;
    throw error;
  }
  writeFileSync(join(folder, 'pid'), String(process.pid));
  return true;
}

function isAbandoned(folder) {
  const state = statSync(folder, { throwIfNoEntry: false });
  if (state === undefined) return false; // just released
  return Date.now() - state.mtimeMs > STALE_MS || isDead(ownerOf(folder));
}

/** NaN for the moment between taking and signing. */
function ownerOf(folder) {
  try {
    return Number(readFileSync(join(folder, 'pid'), 'utf8') || Number.NaN);
  } catch {
    return Number.NaN;
  }
}

function isDead(pid) {
  if (!(pid > 0)) return false;
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return error.code === 'ESRCH';
  }
}

/** Moved aside first: of several that find a dead holder's folder, one removes it and the others fail. */
function remove(folder) {
  const aside = `${folder}-${process.pid}`;
  try {
    renameSync(folder, aside);
  } catch {
    return;
  }
  rmSync(aside, { recursive: true, force: true });
}

function touch(folder) {
  const now = new Date();
  try {
    utimesSync(folder, now, now);
  } catch {
    // taken from us while the machine slept: the work is nearly the same twice
  }
}
