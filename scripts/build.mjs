import { prepare } from './prepare.mjs';

/* Before `npm pack`: what is packed is the build of this source, and nothing older. */

await prepare();
