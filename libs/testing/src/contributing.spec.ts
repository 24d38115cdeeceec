import { readdirSync, readFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';

const ROOT = resolve(__dirname, '..', '..', '..');
const DOCUMENT = readFileSync(join(ROOT, 'CONTRIBUTING.md'), 'utf8');

/** Returns the libs by the kind that their project declares. */
function declaredKinds(): Record<string, string[]> {
  const kinds: Record<string, string[]> = {};
  for (const lib of readdirSync(join(ROOT, 'libs'))) {
    const { tags } = JSON.parse(readFileSync(join(ROOT, 'libs', lib, 'project.json'), 'utf8')) as {
      readonly tags: readonly string[];
    };
    const kind = tags.find((tag) => tag.startsWith('type:'))?.slice('type:'.length) ?? '';
    (kinds[kind] ??= []).push(lib);
  }
  return kinds;
}

describe('CONTRIBUTING.md', () => {
  it('lists every lib with the kind that its project declares, and with a purpose', () => {
    const listed: Record<string, string[]> = {};
    for (const [, lib = '', kind = ''] of DOCUMENT.matchAll(/^\| `([a-z0-9-]+)` \| (\w+) \| [A-Z].+\. \|$/gm))
      (listed[kind] ??= []).push(lib);
    for (const libs of Object.values(listed)) libs.sort();
    expect(listed).toEqual(declaredKinds());
  });

  it('names only npm scripts that exist', () => {
    const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
      readonly scripts: Readonly<Record<string, string>>;
    };
    const named = [...DOCUMENT.matchAll(/`npm run ([a-z:-]+)/g)].map(([, name = '']) => name);
    expect(named.filter((name) => !(name in scripts))).toEqual([]);
    expect(named.length).toBeGreaterThan(5);
  });

  it('names a spec for each kind of addition, and only specs that exist', () => {
    const table = DOCUMENT.slice(DOCUMENT.indexOf('| Add | Touch |'), DOCUMENT.indexOf('## Code style'));
    const rows = [...table.matchAll(/^\| ([a-z ]+) \| (.+) \|$/gm)];
    const specsOf = (text: string) =>
      [...text.matchAll(/`([a-z-]+\.spec\.ts)`/g)].map(([, name = '']) => name);
    const specs = new Map(rows.map(([, what = '', where = '']) => [what, specsOf(where)]));
    for (const what of ['provider', 'strategy', 'guardrail check', 'route family'])
      expect(specs.get(what)).toEqual([expect.stringMatching(/^added-/)]);
    const existing = ['apps', 'libs']
      .flatMap((folder) => readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }))
      .map((path) => basename(path));
    expect([...specs.values()].flat().filter((name) => !existing.includes(name))).toEqual([]);
  });
});
