import type { Config } from '../config/config.ts';
import { sandboxOn } from '../config/config.ts';
import { isLocalHost } from '../config/localHost.ts';

/** Whether callers on other machines may reach the sandbox's address; they then need its key, which the start prints. */
export const sandboxIsExposed = (config: Config, publicUrl: string): boolean =>
  sandboxOn(config) &&
  config.roles.api &&
  !(isLocalHost(config.host) && isLocalHost(new URL(publicUrl).hostname));

export const EXPOSED_WARNING =
  'The sandbox is on, and HOST or PUBLIC_URL opens it to other machines: it shows every message and has no accounts. From elsewhere it asks for the key in the address printed below.';
