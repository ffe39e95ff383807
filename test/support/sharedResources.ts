import { inject } from 'vitest';

/** The superuser's way into the Postgres of this run, which the first to ask for it starts. */
export const clusterUrl = (): Promise<string> => ask('/postgres', 'Postgres');

/** The program of a Chromium that runs, or null where there is none. */
export async function browserProgram(): Promise<string | null> {
  return (await ask('/browser', 'a browser')) || null;
}

async function ask(path: string, name: string): Promise<string> {
  const address: string | undefined = inject('sharedResourcesUrl');
  if (address === undefined)
    throw new Error(`A unit test asked for ${name}. A test that needs it belongs in test/, not in src/.`);
  const response = await fetch(address + path);
  const text = await response.text();
  if (!response.ok) throw new Error(text);
  return text;
}
