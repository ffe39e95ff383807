import { pathToFileURL } from 'node:url';
import { bundlePart } from './bundle.mjs';

/** Imports a file of TypeScript into this process. */
export const importTypescript = async (file) => import(pathToFileURL(await bundlePart(file)).href);
