import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';

const PAGE = resolve(__dirname, '..', '..', '..', 'docs', 'settings.md');

/**
 * Returns the settings that `docs/settings.md` lists: the names in the first cells of its tables.
 */
export function documentedSettings(): readonly string[] {
  const rows = readFileSync(PAGE, 'utf8').matchAll(/^\| (`[A-Z].*?) \|/gm);
  return [...rows].flatMap(([, cell = '']) =>
    [...cell.matchAll(/`([A-Z][A-Z0-9_]*)`/g)].map(([, name = '']) => name),
  );
}
