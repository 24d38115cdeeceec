import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';

const SCRIPT = resolve(__dirname, '../../../tools/import-circles.cjs');

function run(root: string) {
  const { status, stderr } = spawnSync(process.execPath, [SCRIPT, root], { encoding: 'utf8' });
  return { status, stderr };
}

/** Creates a workspace of one lib whose files import each other's types in a circle. */
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

  it('finds no circle of more than three files and none of folders in this workspace', () => {
    expect(run(resolve(__dirname, '../../..'))).toEqual({ status: 0, stderr: '' });
  });

  it('fails on a new circle of four files, types included, and names them', () => {
    roots.push(circleOf(4));
    const { status, stderr } = run(roots[0] as string);
    expect(status).toBe(1);
    expect(stderr).toContain('4 files import each other in a circle; at most 3 may');
    expect(stderr).toContain('libs/made/src/file-0.ts imports libs/made/src/file-1.ts');
  });

  it('allows a circle of three files', () => {
    roots.push(circleOf(3));
    expect(run(roots[0] as string)).toEqual({ status: 0, stderr: '' });
  });

  function workspaceOf(files: Readonly<Record<string, string>>): string {
    const root = mkdtempSync(join(tmpdir(), 'tollgate-circle-'));
    roots.push(root);
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), text);
    }
    return root;
  }

  it('fails on a new circle of two folders of the admin API, and names them', () => {
    const root = workspaceOf({
      'apps/admin-api/src/platform/rows.ts': 'export const rows = 1;\n',
      'apps/admin-api/src/platform/service.ts': "import '../publishing/service';\n",
      'apps/admin-api/src/publishing/service.ts': "import '../platform/rows';\n",
    });
    const { status, stderr } = run(root);
    expect(status).toBe(1);
    expect(stderr).toContain('2 folders of apps/admin-api/src import each other in a circle');
    expect(stderr).toContain('platform imports publishing');
  });

  it('fails on a resource of the admin API that imports another, and names both', () => {
    const { status, stderr } = run(
      workspaceOf({
        'apps/admin-api/src/resources/labels/rows.ts': 'export const rows = 1;\n',
        'apps/admin-api/src/resources/prompts/service.ts': "import '../labels/rows';\n",
      }),
    );
    expect(status).toBe(1);
    expect(stderr).toContain('apps/admin-api/src/resources/prompts imports the resource labels');
  });
});
