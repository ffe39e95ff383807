import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** The files that a page of the documentation shows: a comment with the name, then the code. */
export function filesOfPage(path: string): Map<string, string> {
  const page = readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
  const shown = page.matchAll(/<!-- file: (\S+) -->\n\n```\w+\n(.*?)```/gs);
  return new Map(Array.from(shown, ([, name = '', code = '']) => [name, code]));
}

/** Writes them into a folder, as a reader would. */
export async function copyFilesOfPage(path: string, folder: string): Promise<string[]> {
  const files = filesOfPage(path);
  for (const [name, code] of files) await writeFile(join(folder, name), code);
  return [...files.keys()];
}
