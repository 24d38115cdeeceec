import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';

const ROOT = join(__dirname, '../../..');

/** Sources of the product, without what only tests use. */
const files = ['apps', 'libs']
  .flatMap((folder) => readdirSync(join(ROOT, folder), { withFileTypes: true, recursive: true }))
  .filter((entry) => entry.isFile() && entry.name.endsWith('.ts') && !entry.name.endsWith('spec.ts'))
  .map(({ parentPath, name }) => relative(ROOT, join(parentPath, name)))
  .filter((file) => !/(?:^|\/)(?:node_modules|dist|spec-support|testing)\//.test(file));

const placesOf = (pattern: RegExp, text: (file: string) => string = read): readonly string[] =>
  files.filter((file) => pattern.test(text(file)));
const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8');
/** Without each call of fetch that says what it does with a redirect. */
const withoutCareful = (file: string): string =>
  read(file).replace(/\bfetch\([^;]*?redirect: '(?:manual|error)'/g, '');

// What goes out of the product takes secrets along: keys of providers, tokens of secret managers, signatures of webhooks.
describe('calls of the product to other hosts', () => {
  it('follow a redirect only where BufferedClient judges it like the first address', () => {
    expect(files.length).toBeGreaterThan(500);
    expect(placesOf(/\b(?:followRedirects?|maxRedirects)\b/)).toEqual(['libs/outbound/src/buffered.ts']);
    expect(read('libs/outbound/src/buffered.ts')).toContain('followRedirect: false');
  });

  it('name what they do with a redirect where they use fetch, which follows by default with all headers', () => {
    expect(placesOf(/(?:await|return|=>?|[(,?:])\s+fetch\(/, withoutCareful)).toEqual([]);
  });

  it('use no other client than those of libs/outbound', () => {
    expect(placesOf(/from '(?:undici|axios|node-fetch|superagent|needle|got)'/)).toEqual([
      'libs/outbound/src/buffered.ts',
    ]);
  });
});
