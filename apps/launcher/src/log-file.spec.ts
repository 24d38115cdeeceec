import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { LogFile } from './log-file';

let folder: string;
let path: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tollgate-log-'));
  path = join(folder, 'app.log');
});

afterEach(() => {
  rmSync(folder, { recursive: true });
});

describe('LogFile', () => {
  it('keeps the log of the previous run, and no older one', () => {
    writeFileSync(path, 'before');
    writeFileSync(`${path}.1`, 'long before');
    const log = new LogFile(path);
    log.withDescriptor((descriptor) => {
      writeFileSync(descriptor, 'now');
    });
    expect([readFileSync(path, 'utf8'), readFileSync(`${path}.1`, 'utf8')]).toEqual(['now', 'before']);
  });

  it('empties a full file in place, so that the child can continue writing and two files bound the disk space', () => {
    const log = new LogFile(path);
    log.withDescriptor((descriptor) => {
      truncateSync(path, 20 * 1024 * 1024);
      log.rotateWhenFull();
      writeFileSync(descriptor, 'after');
    });
    expect(readFileSync(path, 'utf8')).toBe('after');
    expect(statSync(`${path}.1`).size).toBe(20 * 1024 * 1024);
  });

  it('empties a full file that cannot be kept, and says why', () => {
    const log = new LogFile(path);
    mkdirSync(`${path}.1`);
    writeFileSync(path, '');
    truncateSync(path, 20 * 1024 * 1024);
    expect(log.rotateWhenFull()).toContain(`${path}.1`);
    expect(statSync(path).size).toBe(0);
    expect(log.rotateWhenFull()).toBeNull();
  });

  it.each([
    ['LOG_LEVEL must be one of debug, info', 'LOG_LEVEL must be one of debug, info'],
    ['ready\nError: no such table\n    at x (y.js:1)\n\nNode.js v26.10.0\n', 'Error: no such table'],
    ['It could not start: wrong module\n\nFor more, see the manual.\n', 'It could not start: wrong module'],
    [
      '{"level":50,"message":"password refused\\nmore","msg":"set-up failed"}\n',
      'set-up failed: password refused',
    ],
    ['', ''],
  ])('finds the reason in the log %j', (content, reason) => {
    const log = new LogFile(path);
    writeFileSync(path, content);
    expect(log.lastMessage()).toBe(reason);
  });
});
