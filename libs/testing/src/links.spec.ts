import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

const ROOT = resolve(__dirname, '..', '..', '..');
const DOCUMENTS = execFileSync('git', ['ls-files', '*.md'], { cwd: ROOT, encoding: 'utf8' })
  .split('\n')
  .filter((path) => path !== '' && existsSync(join(ROOT, path)));

/** Returns the relative links of a document that lead to no file. Text in code is not read. */
function broken(path: string): string[] {
  const text = readFileSync(join(ROOT, path), 'utf8').replaceAll(/```[\s\S]*?```|`[^`\n]*`/g, '');
  return [...text.matchAll(/\]\((?!https?:|mailto:|#)([^)\s#]+)/g)]
    .map(([, target = '']) => target)
    .filter((target) => !existsSync(join(ROOT, dirname(path), target)));
}

describe('links in Markdown', () => {
  it.each(DOCUMENTS)('lead to files that exist, in %s', (path) => {
    expect(broken(path)).toEqual([]);
  });
});
