/**
 * The folder of package.json, migrations and the pages' static files. This module is two folders below it in the source, and so are
 * the modules and the program that are built of it.
 */
export const PACKAGE_ROOT = new URL('../../', import.meta.url);
