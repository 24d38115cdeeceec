import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';

const ROOT = join(__dirname, '../../..');

/** Source files of the product, without test support. */
const files = ['apps', 'libs']
  .flatMap((folder) => readdirSync(join(ROOT, folder), { withFileTypes: true, recursive: true }))
  .filter((entry) => entry.isFile() && entry.name.endsWith('.ts') && !entry.name.endsWith('spec.ts'))
  .map(({ parentPath, name }) => relative(ROOT, join(parentPath, name)))
  .filter((file) => !/(?:^|\/)(?:node_modules|dist|spec-support|testing)\//.test(file));

const placesOf = (pattern: RegExp, text: (file: string) => string = read): readonly string[] =>
  files.filter((file) => pattern.test(text(file)));
const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8');
/** `BufferedClient` follows redirects by itself, `ServiceClient` follows none. */
const CLIENTS = ['libs/outbound/src/buffered.ts', 'libs/outbound/src/service-client.ts'];
/** Returns the source without the calls of fetch that set their redirect mode. */
const withoutExplicitRedirect = (file: string): string =>
  read(file).replace(/\bfetch\([^;]*?redirect: '(?:manual|error)'/g, '');

// Outgoing calls contain secrets, such as provider keys, tokens of secret managers and signatures
// of webhooks.
describe('outbound calls of the product', () => {
  it('follow a redirect only through BufferedClient, which checks it like the first address', () => {
    expect(files.length).toBeGreaterThan(500);
    expect(placesOf(/\b(?:followRedirects?|maxRedirects)\b/)).toEqual(CLIENTS);
    for (const client of CLIENTS) expect(read(client)).toContain('followRedirect: false');
  });

  it('set the redirect mode of fetch, which follows redirects with all headers by default', () => {
    expect(placesOf(/(?:await|return|=>?|[(,?:])\s+fetch\(/, withoutExplicitRedirect)).toEqual([]);
  });

  it('use only the clients of libs/outbound', () => {
    expect(placesOf(/from '(?:undici|axios|node-fetch|superagent|needle|got)'/)).toEqual(CLIENTS);
  });
});
