import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const PAGES = join(__dirname, '../../src/pages');
const PREFIXES: Readonly<Record<string, string>> = {
  workspaceRoute: '/w/$ws',
  organisationRoute: '/org',
  meRoute: '/me',
};
const ROUTE = /getParentRoute: \(\) => (\w+),\s+path: '([^']+)'/g;

/**
 * Reads the addresses of all console pages, such as `/w/$ws/logs/$log`, from the files that declare
 * their routes.
 */
export function consoleRoutes(): readonly string[] {
  return readdirSync(PAGES, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('route.ts'))
    .flatMap((file) => [...readFileSync(join(PAGES, file), 'utf8').matchAll(ROUTE)])
    .map(([, parent = '', path = '']) => {
      const prefix = PREFIXES[parent];
      if (prefix === undefined) throw new Error(`The parent of the route ${path} is not known: ${parent}`);
      return path === '/' ? prefix : `${prefix}/${path}`;
    });
}
