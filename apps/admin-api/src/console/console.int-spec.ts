import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { TestAdminApi } from '../spec-support/admin-api';

const SCRIPT = 'export const it = 1;\n'.repeat(50);
const PAGE = `<!doctype html><html><head><base href="/console/" /><meta name="console-nonce" content="" />
<script type="module" src="./assets/index-1a2b.js"></script></head><body></body></html>`;

/** Returns the folder of a built console, in the form that `apps/console/build.cjs` produces. */
function builtConsole(): string {
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-console-'));
  mkdirSync(join(folder, 'assets'));
  writeFileSync(join(folder, 'index.html'), PAGE);
  writeFileSync(join(folder, 'secret.txt'), 'not an asset');
  const script = join(folder, 'assets/index-1a2b.js');
  writeFileSync(script, SCRIPT);
  writeFileSync(`${script}.br`, brotliCompressSync(SCRIPT));
  writeFileSync(`${script}.gz`, gzipSync(SCRIPT));
  writeFileSync(`${script}.map`, '{}');
  return folder;
}

/** Calls the admin API over a socket, as browsers do. */
function served(admin: TestAdminApi) {
  let origin = '';
  beforeAll(async () => {
    await admin.api.app.listen(0, '127.0.0.1');
    origin = await admin.api.app.getUrl();
  });
  return (path: string, headers: Record<string, string> = {}): Promise<Response> =>
    fetch(`${origin}${path}`, { headers, redirect: 'manual' });
}

const HTML = { accept: 'text/html,application/xhtml+xml' };
const textOf = async (response: Response): Promise<string> => (await response.text()).trim();

describe('console served by the admin API', () => {
  const admin = new TestAdminApi({
    CONSOLE_DIR: builtConsole(),
    PUBLIC_GATEWAY_URL: 'https://gateway.example.com/base',
  });
  const get = served(admin);

  it.each(['/console/', '/console/w/search/logs?f=status:5xx', '/console/claim', '/console/secret.txt'])(
    'serves its single page at %s',
    async (path) => {
      const response = await get(path, HTML);
      expect(response.status).toBe(200);
      expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
      expect(response.headers.get('cache-control')).toBe('no-store');
      expect(await response.text()).toContain('<base href="/console/" />');
    },
  );

  it('sends a policy with a new nonce in each response, which allows only its own origin and the gateway', async () => {
    const [one, other] = await Promise.all([get('/console/', HTML), get('/console/', HTML)]);
    const policy = one.headers.get('content-security-policy') ?? '';
    const [, nonce = ''] = /'nonce-([^']{24,})'/.exec(policy) ?? [];
    expect(await one.text()).toContain(`<meta name="console-nonce" content="${nonce}" />`);
    expect(other.headers.get('content-security-policy')).not.toBe(policy);
    expect(policy.replace(nonce, '…').split('; ')).toEqual([
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self' 'nonce-…'",
      "font-src 'self'",
      "img-src 'self' data: blob:",
      'media-src blob:',
      "connect-src 'self' https://gateway.example.com",
      "worker-src 'self'",
      "form-action 'self'",
      "base-uri 'self'",
      "frame-ancestors 'none'",
    ]);
  });

  it.each([
    ['/console/login/sso?connection=1', "form-action 'self' https:"],
    ['/console/login/sso/more', "form-action 'self'"],
    ['/console/login', "form-action 'self'"],
  ])('lets the page %s post forms according to %s', async (path, directive) => {
    const { headers } = await get(path, HTML);
    expect((headers.get('content-security-policy') ?? '').split('; ')).toContain(directive);
  });

  it.each(['br', 'gzip', 'identity'])(
    'sends assets with the encoding %s, cacheable for a year',
    async (encoding) => {
      const response = await get('/console/assets/index-1a2b.js', { 'accept-encoding': encoding });
      expect(response.status).toBe(200);
      expect(response.headers.get('content-encoding')).toBe(encoding === 'identity' ? null : encoding);
      expect(response.headers.get('content-type')).toContain('javascript');
      expect(response.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
      expect(await response.text()).toBe(SCRIPT);
    },
  );

  it.each([
    '/console/assets/index-9999.js',
    '/console/assets/index-1a2b.js.map',
    '/console/assets/..%2fsecret.txt',
    '/console/assets/%2e%2e/%2e%2e/%2e%2e/etc/passwd',
  ])('returns 404 or the page for %s, never a file outside the assets', async (path) => {
    const response = await get(path);
    expect(await response.text()).not.toMatch(/not an asset|root:|"\{\}"/);
    if (!path.includes('%')) expect(response.status).toBe(404);
  });

  it('redirects only browsers from the root path to the console', async () => {
    const browser = await get('/', HTML);
    expect([browser.status, browser.headers.get('location')]).toEqual([302, '/console/']);
    expect((await get('/console', HTML)).headers.get('location')).toBe('/console/');
    expect((await get('/', { accept: 'application/json' })).status).toBe(200);
  });
});

describe('console below another path', () => {
  const admin = new TestAdminApi({ CONSOLE_DIR: builtConsole(), CONSOLE_BASE_PATH: '/tools/gate' });
  const get = served(admin);

  it('names its path as the base of all addresses of the page', async () => {
    const page = await get('/tools/gate/w/search', HTML);
    expect(await page.text()).toContain('<base href="/tools/gate/" />');
    expect((await get('/tools/gate/assets/index-1a2b.js')).status).toBe(200);
    expect((await get('/', HTML)).headers.get('location')).toBe('/tools/gate/');
    expect((await get('/console/', HTML)).status).toBe(404);
  });
});

describe('console that is not built', () => {
  const admin = new TestAdminApi({ CONSOLE_DIR: join(tmpdir(), 'tollgate-no-console') });
  const get = served(admin);

  it('responds with 404 and a sentence, and leaves the API and the root path unchanged', async () => {
    const response = await get('/console/', HTML);
    expect(response.status).toBe(404);
    expect(await textOf(response)).toContain('The console is not built.');
    expect((await get('/', HTML)).status).toBe(200);
    expect((await get('/health')).status).toBe(200);
  });
});

describe('console with CONSOLE_ENABLED=OFF', () => {
  const admin = new TestAdminApi({ CONSOLE_DIR: builtConsole(), CONSOLE_ENABLED: 'OFF' });
  const get = served(admin);

  it("responds with 404 at the console's path", async () => {
    expect((await get('/console/', HTML)).status).toBe(404);
    expect((await get('/', HTML)).status).toBe(200);
  });
});
