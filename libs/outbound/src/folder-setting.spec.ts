import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { folder } from './folder-setting';

describe('folder', () => {
  const home = mkdtempSync(join(tmpdir(), 'folder-setting-'));
  afterAll(() => {
    rmSync(home, { recursive: true });
  });

  it('returns the path of a folder that exists', () => {
    expect(folder.parse(home)).toBe(home);
  });

  it('throws for a path without a folder, so that the process does not start', () => {
    for (const path of [join(home, 'nowhere'), __filename])
      expect(() => folder.parse(path)).toThrow('must be the path of a folder that can be read');
  });
});
