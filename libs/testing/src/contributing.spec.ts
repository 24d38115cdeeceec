import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const ROOT = resolve(__dirname, '..', '..', '..');
const DOCUMENT = readFileSync(join(ROOT, 'CONTRIBUTING.md'), 'utf8');

/** Libs by the kind that their project declares to the lint. */
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
  it('lists every lib under the kind that its project declares', () => {
    const listed: Record<string, string[]> = {};
    for (const [, kind = '', libs = ''] of DOCUMENT.matchAll(
      /^\| (\w+)(?: \(pure\))? \| (`[a-z-]+`[^|]*) \|/gm,
    ))
      if (kind in declaredKinds())
        listed[kind] = [...libs.matchAll(/`([a-z-]+)`/g)].map(([, name = '']) => name).sort();
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
});
