import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { prepareDataFolder } from './data-folder';
import { lockDataFolder } from './instance-lock';

describe('prepareDataFolder and lockDataFolder', () => {
  let outer: string;
  beforeEach(() => {
    outer = mkdtempSync(join(tmpdir(), 'tollgate-folder-'));
  });
  afterEach(() => {
    rmSync(outer, { recursive: true, force: true });
  });

  it('create the folder with all parent folders', () => {
    const { logs } = prepareDataFolder(join(outer, 'a', 'b'));
    expect(existsSync(logs)).toBe(true);
    prepareDataFolder(join(outer, 'a', 'b'));
  });

  it('fail with the reason if the folder cannot be created', () => {
    writeFileSync(join(outer, 'file'), '');
    const path = join(outer, 'file', 'data');
    expect(() => prepareDataFolder(path)).toThrow(`DATA_DIR ${path} cannot be used: EEXIST`);
    // Node's own recursive mkdir never returns here.
    if (process.platform === 'linux')
      expect(() => prepareDataFolder('/proc/nope/data')).toThrow(
        'DATA_DIR /proc/nope/data cannot be used: ENOENT',
      );
  });

  it('allow one holder at a time, whatever TMPDIR is', () => {
    const release = lockDataFolder(outer);
    const { TMPDIR } = process.env;
    process.env['TMPDIR'] = join(outer, 'elsewhere');
    try {
      expect(() => lockDataFolder(outer)).toThrow(`DATA_DIR ${outer} is in use by another running Tollgate`);
      lockDataFolder(mkdtempSync(join(outer, 'other-')))();
    } finally {
      if (TMPDIR === undefined) delete process.env['TMPDIR'];
      else process.env['TMPDIR'] = TMPDIR;
    }
    release();
    lockDataFolder(outer)();
  });
});
