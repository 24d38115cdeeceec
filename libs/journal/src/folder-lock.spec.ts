import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FolderLock } from './folder-lock';

describe('FolderLock', () => {
  let directory: string;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'lock-'));
  });
  afterEach(() => {
    rmSync(directory, { recursive: true });
  });

  it('locks a folder for one holder at a time, and for the next after its release', () => {
    const first = FolderLock.take(directory);
    expect(first).not.toBeNull();
    expect(FolderLock.take(directory)).toBeNull();
    first?.release();
    const second = FolderLock.take(directory);
    expect(second).not.toBeNull();
    second?.release();
  });

  it('is released when the process that holds it is killed', async () => {
    const program = `
      const { DatabaseSync } = require('node:sqlite');
      const held = new DatabaseSync(process.argv[1]);
      held.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE');
      console.log('held');
      setInterval(() => {}, 1000);`;
    const child = spawn(process.execPath, ['-e', program, join(directory, 'owner.lock')]);
    await new Promise((resolve) => child.stdout.once('data', resolve));
    expect(FolderLock.take(directory)).toBeNull();
    child.kill('SIGKILL');
    await new Promise((resolve) => child.once('exit', resolve));
    const lock = FolderLock.take(directory);
    expect(lock).not.toBeNull();
    lock?.release();
  });

  it('throws an error with the folder when the file system refuses the lock', () => {
    expect(() => FolderLock.take('/proc/self')).toThrow('/proc/self cannot be locked');
  });
});
