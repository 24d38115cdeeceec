import { transformSync } from '@swc/core';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const ROOT = resolve(__dirname, '..', '..', '..');
const SOURCE = `interface Unseen { readonly lines: number }

export function fail(of: Unseen): never {
  throw new TypeError('No line ' + of.lines);
}
`;

describe('mapStackTraces', () => {
  let folder: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'stack-traces-'));
    const { code, map = '' } = transformSync(SOURCE, {
      ...{ filename: 'fail.ts', sourceMaps: true, module: { type: 'commonjs' } },
      jsc: { parser: { syntax: 'typescript' } },
    });
    writeFileSync(join(folder, 'fail.js'), code);
    writeFileSync(join(folder, 'fail.js.map'), map);
  });
  afterEach(() => {
    rmSync(folder, { recursive: true });
  });

  /**
   * Returns the stack of an error that the compiled file throws in a process with mapped traces.
   */
  const stack = (): string => {
    const script = `
      require('./tools/typescript.cjs');
      require('./libs/stack-traces/src/map-stack-traces.ts').mapStackTraces(${JSON.stringify(folder)});
      try { require(${JSON.stringify(join(folder, 'fail.js'))}).fail({ lines: 4 }); }
      catch (error) { process.stdout.write(error.stack); }`;
    return execFileSync(process.execPath, ['-e', script], { cwd: ROOT, encoding: 'utf8' });
  };

  it('writes the error and the line of the source', () => {
    const [header, first] = stack().split('\n');
    expect(header).toBe('TypeError: No line 4');
    expect(first).toBe(`    at Object.fail (${join(folder, 'fail.ts')}:4:9)`);
  });

  it('writes the compiled line if the map is missing or broken', () => {
    writeFileSync(join(folder, 'fail.js.map'), '{"version":');
    expect(stack()).toMatch(/at Object.fail \(.*fail\.js:\d+:\d+\)/);
    rmSync(join(folder, 'fail.js.map'));
    expect(stack()).toMatch(/at Object.fail \(.*fail\.js:\d+:\d+\)/);
  });
});
