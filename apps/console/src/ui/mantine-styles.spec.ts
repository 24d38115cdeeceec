/** @jest-environment node */
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const SOURCES = resolve(__dirname, '..');
const STYLES = resolve(__dirname, '../../../../node_modules/@mantine/core/styles');
const IMPORT = /import \{([^}]+)\} from '@mantine\/core'/g;

describe('mantine-styles.ts', () => {
  it('imports the styles of each Mantine component in use', () => {
    const listed = readFileSync(join(__dirname, 'mantine-styles.ts'), 'utf8');
    const used = globSync('**/*.tsx', { cwd: SOURCES })
      .map((file) => readFileSync(join(SOURCES, file), 'utf8'))
      .flatMap((source) => [...source.matchAll(IMPORT)].flatMap(([, names = '']) => names.split(',')))
      .map((name) => name.trim())
      .filter((name) => existsSync(join(STYLES, `${name}.css`)));
    expect(used.length).toBeGreaterThan(3);
    expect([...new Set(used)].filter((name) => !listed.includes(`/${name}.css'`))).toEqual([]);
  });
});
