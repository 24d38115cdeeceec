import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const ROOT = resolve(__dirname, '..', '..', '..');
const BOUNDARY = '@nx/enforce-module-boundaries';
const environment = { ...process.env, NX_DAEMON: 'false', NX_NO_CLOUD: 'true' };

let edges: Record<string, readonly { readonly target: string }[]>;

/** The lint rule reads the cached graph of Nx, so the graph is rebuilt first. */
beforeAll(() => {
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-graph-'));
  const file = join(folder, 'graph.json');
  execFileSync(process.execPath, [join(ROOT, 'node_modules/nx/dist/bin/nx.js'), 'graph', `--file=${file}`], {
    cwd: ROOT,
    env: environment,
    stdio: 'ignore',
  });
  const { graph } = JSON.parse(readFileSync(file, 'utf8')) as { graph: { dependencies: typeof edges } };
  edges = graph.dependencies;
  rmSync(folder, { recursive: true });
});

/** Returns the rules that each source breaks in its file. */
function lint(probes: readonly { file: string; source: string }[]): string[][] {
  const output = execFileSync(process.execPath, [join(__dirname, 'lint-probe.cjs')], {
    cwd: ROOT,
    env: environment,
    input: JSON.stringify(probes),
    encoding: 'utf8',
  });
  return JSON.parse(output.trim().split('\n').at(-1) ?? '[]') as string[][];
}

const importing = (name: string): string => `import * as it from '${name}';\nexport const used = it;\n`;

describe('project boundaries', () => {
  it('are checked with a project graph that has edges, without which every rule would pass', () => {
    const targets = edges['gateway']?.map(({ target }) => target);
    expect(targets).toEqual(expect.arrayContaining(['providers', 'kernel']));
    expect(edges['admin-api']?.map(({ target }) => target)).toContain('entities');
  });

  it('make lint fail only for imports across layers or planes', () => {
    const crossed: readonly (readonly [file: string, imported: string])[] = [
      ['apps/gateway/src/probe.ts', '@gw/entities'],
      ['libs/routing/src/probe.ts', '@gw/outbound'],
      ['libs/routing/src/probe.ts', '@gw/providers'],
      ['libs/outbound/src/probe.ts', '@gw/redis'],
      ['libs/contracts/src/probe.ts', '@gw/routing'],
      ['libs/kernel/src/probe.ts', '@gw/contracts'],
      ['libs/web/src/probe.ts', '@gw/read-model'],
      ['apps/worker/src/probe.ts', '@gw/testing'],
    ];
    const allowed: typeof crossed = [
      ['apps/gateway/src/probe.ts', '@gw/routing'],
      ['apps/admin-api/src/probe.ts', '@gw/entities'],
      ['libs/routing/src/probe.ts', '@gw/kernel'],
      ['libs/read-model/src/probe.ts', '@gw/redis'],
      ['apps/worker/src/probe.int-spec.ts', '@gw/testing'],
      ['libs/kernel/src/probe.spec.ts', '@gw/testing'],
    ];
    const probes = [...crossed, ...allowed].map(([file, name]) => ({ file, source: importing(name) }));
    const found = lint(probes).map((rules) => rules.includes(BOUNDARY));
    expect(found).toEqual([...crossed.map(() => true), ...allowed.map(() => false)]);
  });

  it('restrict the database, the queue and the HTTP clients to their libs, and the environment to main.ts', () => {
    const environmentUse = 'export const value = process.env;\n';
    const probes = [
      { file: 'apps/gateway/src/probe.ts', source: importing('undici') },
      { file: 'apps/gateway/src/probe.ts', source: importing('typeorm') },
      { file: 'apps/admin-api/src/probe.service.ts', source: importing('bullmq') },
      { file: 'apps/worker/src/probe.ts', source: importing('ioredis') },
      { file: 'apps/gateway/src/probe.ts', source: environmentUse },
      { file: 'apps/admin-api/src/probe.service.ts', source: importing('typeorm') },
      { file: 'libs/outbound/src/probe.ts', source: importing('undici') },
      { file: 'apps/gateway/src/main.ts', source: environmentUse },
    ];
    const imports = 'no-restricted-imports';
    expect(lint(probes)).toEqual([
      [imports],
      [imports],
      [imports],
      [imports],
      ['no-restricted-properties'],
      [],
      [],
      [],
    ]);
  });

  it('restrict the console to pure libs, its write module and named colours', () => {
    const write = 'export const save = (api: { PUT: () => void }) => api.PUT();\n';
    const colour = (text: string) => `export const used = ${text};\n`;
    const hook =
      "import { useState } from 'react';\nexport const Part = (on: boolean) => (on ? useState(1) : null);\n";
    const probes = [
      { file: 'apps/console/src/probe.ts', source: importing('@gw/kernel') },
      { file: 'apps/console/src/probe.ts', source: importing('@gw/contracts') },
      { file: 'apps/console/src/probe.ts', source: importing('node:fs') },
      { file: 'apps/console/src/pages/probe/page.tsx', source: write },
      { file: 'apps/console/src/pages/probe/page.tsx', source: colour("'#22a'") },
      { file: 'apps/console/src/pages/probe/page.tsx', source: colour('`1px solid rgb(1 2 3)`') },
      { file: 'apps/console/src/pages/probe/page.tsx', source: hook },
      { file: 'apps/console/src/probe.ts', source: importing('@gw/auth-scopes') },
      { file: 'apps/console/src/write/probe.ts', source: write },
    ];
    const imports = '@typescript-eslint/no-restricted-imports';
    const syntax = 'no-restricted-syntax';
    expect(lint(probes)).toEqual([
      [imports],
      [imports],
      [imports],
      [syntax],
      [syntax],
      [syntax],
      ['react-hooks/rules-of-hooks'],
      [],
      [],
    ]);
  });

  it('refuse I/O in libs of the kernel, contract and domain kinds, but allow address arithmetic', () => {
    const probes = [
      { file: 'libs/kernel/src/probe.ts', source: importing('node:fs') },
      { file: 'libs/contracts/src/probe.ts', source: importing('node:tls') },
      { file: 'libs/config-schema/src/probe.ts', source: importing('child_process') },
      { file: 'libs/pricing/src/probe.ts', source: importing('node:fs/promises') },
      { file: 'libs/telemetry/src/probe.ts', source: "import { connect } from 'node:net';\nconnect(1);\n" },
      { file: 'libs/kernel/src/probe.ts', source: "import { isIP } from 'node:net';\nisIP('');\n" },
      { file: 'libs/kernel/src/probe.spec.ts', source: importing('node:fs') },
      { file: 'libs/journal/src/probe.ts', source: importing('node:fs') },
    ];
    expect(lint(probes)).toEqual([...probes.slice(0, 5).map(() => ['no-restricted-imports']), [], [], []]);
  });

  it('forbid regular expressions built from data, except RE2 in its lib', () => {
    const file = 'apps/gateway/src/probe.ts';
    const dynamic = [
      'new RegExp(data)',
      'RegExp(data, "i")',
      'new globalThis.RegExp(data)',
      '"text".match(data)',
      '"text".matchAll(data.pattern)',
      '"text".search(`${data}`)',
    ].map((use) => ({ file, source: `export const used = (data: string) => ${use};\n` }));
    const literal = { file, source: 'export const used = (data: string) => data.match(/a+b/);\n' };
    const probes = [...dynamic, { file, source: importing('re2js') }, literal];
    expect(lint(probes)).toEqual([
      ...dynamic.map(() => ['no-restricted-syntax']),
      ['no-restricted-imports'],
      [],
    ]);
  });
});
