import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, constants, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createLineWriter } from './lineWriter.ts';

const { O_RDONLY, O_WRONLY, O_NONBLOCK } = constants;

let folder: string;
let pipe: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'waypost-lines-'));
  pipe = join(folder, 'pipe');
  execFileSync('mkfifo', [pipe]);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

test('when nobody reads any more, writing returns', () => {
  const reader = openSync(pipe, O_RDONLY | O_NONBLOCK);
  const fd = openSync(pipe, O_WRONLY);
  const writer = createLineWriter(fd, 10);
  writer.write('read\n');
  writer.flush();
  closeSync(reader);
  writer.write('a line that is longer than a chunk\n');
  writer.write('more\n');
  writer.flush();
  closeSync(fd);
});

test('a reader that is slow gets every line once, in order', async () => {
  const copy = join(folder, 'copy');
  const reader = openSync(pipe, O_RDONLY | O_NONBLOCK);
  const fd = openSync(pipe, O_WRONLY | O_NONBLOCK);
  const slow = spawn('sh', ['-c', `sleep 0.3; cat '${pipe}' > '${copy}'`]);
  const writer = createLineWriter(fd, 3_000);
  const lines = Array.from({ length: 5_000 }, (_, n) => `line ${n}, which is õ ${'.'.repeat(30)}\n`);
  for (const line of lines) writer.write(line);
  writer.flush();
  closeSync(fd);
  closeSync(reader);
  await once(slow, 'exit');
  expect(readFileSync(copy, 'utf8')).toBe(lines.join(''));
});
