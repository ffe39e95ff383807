import { createRunnableDevEnvironment, resolveConfig } from 'vite';

/**
 * Imports a file of TypeScript into this process. Vite's own runnerImport ends with the import, and would not find what is
 * loaded later, when it is first needed.
 */
export async function importTypescript(file, plugins = []) {
  const config = await resolveConfig(
    {
      configFile: false,
      envDir: false,
      plugins,
      environments: {
        inline: {
          consumer: 'server',
          dev: { moduleRunnerTransform: true },
          resolve: { external: true, mainFields: [], conditions: ['node'] },
        },
      },
    },
    'serve',
  );
  const environment = createRunnableDevEnvironment('inline', config, {
    runnerOptions: { hmr: { logger: false } },
    hot: false,
  });
  await environment.init();
  return environment.runner.import(file);
}
