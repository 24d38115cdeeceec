import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';

const SCRIPT = resolve(__dirname, '../../../tools/import-circles.cjs');

function run(root: string) {
  const { status, stderr } = spawnSync(process.execPath, [SCRIPT, root], { encoding: 'utf8' });
  return { status, stderr };
}

/** A workspace of one lib, whose files import each other in a circle of types. */
function circleOf(files: number): string {
  const root = mkdtempSync(join(tmpdir(), 'tollgate-circle-'));
  for (let at = 0; at < files; at += 1) {
    const next = (at + 1) % files;
    const path = join(root, `libs/made/src/file-${String(at)}.ts`);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(
      path,
      `import type { T${String(next)} } from './file-${String(next)}';\nexport type T${String(at)} = T${String(next)};\n`,
    );
  }
  return root;
}

describe('tools/import-circles.cjs', () => {
  const roots: string[] = [];
  afterEach(() => {
    for (const root of roots.splice(0)) rmSync(root, { recursive: true });
  });

  it('finds no circle of more than three files in this workspace', () => {
    expect(run(resolve(__dirname, '../../..'))).toEqual({ status: 0, stderr: '' });
  }, 60_000);

  it('fails on a new circle of four files, types included, and names them', () => {
    roots.push(circleOf(4));
    const { status, stderr } = run(roots[0] as string);
    expect(status).toBe(1);
    expect(stderr).toContain('4 files import each other in a circle; at most 3 may');
    expect(stderr).toContain('libs/made/src/file-0.ts imports libs/made/src/file-1.ts');
  }, 60_000);

  it('allows a circle of three files', () => {
    roots.push(circleOf(3));
    expect(run(roots[0] as string)).toEqual({ status: 0, stderr: '' });
  }, 60_000);
});
