import { createRequire } from 'node:module';

import type { Environment } from './settings';

/**
 * Entry point of a short process: reads the settings of one app from the app's environment, by the
 * app's own declarations, and prints the invalid ones as JSON. Arguments: the app's built module
 * and the name of its function that reads them.
 */
function main([file = '', reader = '']: readonly string[]): void {
  const module = createRequire(__filename)(file) as Readonly<Record<string, unknown>>;
  const read = module[reader];
  if (typeof read !== 'function') throw new Error(`${file} has no function ${reader}.`);
  try {
    (read as (environment: Environment) => unknown)(process.env);
    process.stdout.write('[]');
  } catch (error) {
    // The error comes from the app's build, so it is not an instance of this process's class.
    const { problems } = error as { problems?: unknown };
    if (!Array.isArray(problems)) throw error;
    process.stdout.write(JSON.stringify(problems));
  }
}

main(process.argv.slice(2));
