import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const ROOT = resolve(__dirname, '..', '..', '..');
const COLUMNS_MAX = 100;
const filesOf = (...patterns: readonly string[]): string[] =>
  execFileSync('git', ['ls-files', ...patterns], { cwd: ROOT, encoding: 'utf8' })
    .split('\n')
    .filter((path) => path !== '' && existsSync(join(ROOT, path)));
const DOCUMENTS = filesOf('*.md');
/** Sources of the product, without migrations, which are never edited. */
const SOURCES = filesOf('apps/*.ts', 'apps/*.tsx', 'libs/*.ts').filter(
  (path) => !/spec|\/migrations\/|^libs\/testing\/|\/browser\//.test(path),
);
/** Beginnings of a docstring that is a fragment: its subject is missing or is a pronoun. */
const FRAGMENT = /\/\*\*\s+(?:\*\s+)?(?:What|Who|Whom|Whoever|Of|Those|Since|So|By)\b.*/g;

const withoutCode = (line: string): string => line.trim().replaceAll(/`[^`]*`/g, '`');

/**
 * Returns prose lines over the width. Code, tables, headings and lines without a space may be
 * longer.
 */
function tooLong(text: string): string[] {
  let isCode = false;
  return text.split('\n').filter((line) => {
    if (line.trimStart().startsWith('```')) isCode = !isCode;
    const isProse = !isCode && !/^\s*[|#<>]|^ {4}/.test(line);
    return isProse && line.length > COLUMNS_MAX && withoutCode(line).includes(' ');
  });
}

describe('prose in Markdown', () => {
  it.each(DOCUMENTS)('is wrapped at 100 columns in %s', (path) => {
    expect(tooLong(readFileSync(join(ROOT, path), 'utf8'))).toEqual([]);
  });
});

describe('docstrings', () => {
  it('begin with their subject', () => {
    const faults = SOURCES.flatMap((path) =>
      [...readFileSync(join(ROOT, path), 'utf8').matchAll(FRAGMENT)].map(([text]) => `${path}: ${text}`),
    );
    expect(SOURCES.length).toBeGreaterThan(1_000);
    expect(faults).toEqual([]);
  });
});
