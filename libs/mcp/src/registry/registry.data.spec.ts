import { createAddressPolicy } from '@gw/kernel';
import type { JsonObject } from '../protocol';
import { NOW, RING } from '../spec-support/endpoint';
import { vectors } from '../spec-support/vectors';
import { readRegistryRequest, RegistryFault } from './registry-request';
import { registryResponse, type RegistryEntry } from './registry-response';
import {
  filledHeaders,
  filledUrl,
  readServerJson,
  type ImportedRemote,
  type ImportedServer,
} from './server-json';

const policy = createAddressPolicy({ trustedHosts: [] });

interface ImportCase {
  readonly input: { readonly server_json: unknown };
  readonly expect: string;
}

function imported(document: unknown): ImportedServer | null {
  const read = readServerJson(document, policy);
  return read.ok ? read.server : null;
}

describe('readServerJson and filledUrl', () => {
  it.each(vectors<ImportCase>('import'))('%s %s', (_id, _reason, { input, expect: wanted }) => {
    const server = imported(input.server_json);
    const [remote] = server?.remotes ?? [];
    if (wanted === 'accept' || wanted === 'reject') {
      expect(server !== null).toBe(wanted === 'accept');
    } else if (remote === undefined) {
      throw new Error('no remote');
    } else if (wanted.startsWith('asks for tenant')) {
      expect(remote.variables).toMatchObject([{ name: 'tenant', isRequired: true }]);
      const filled = (tenant: string): boolean => filledUrl(remote, { tenant }, policy).ok;
      expect(filled('acme-1')).toBe(true);
      for (const value of ['a.b', 'a/b', '-a', 'a@b', '', 'a\n', 'a%2e', '127.0.0.1#'])
        expect(filled(value)).toBe(false);
      expect(filledUrl(remote, {}, policy).ok).toBe(false);
    } else {
      expect(wanted).toMatch(/^asks for the secret/);
      expect(remote.headers).toMatchObject([{ name: 'Authorization', isSecret: true }]);
    }
  });

  const server = { name: 'com.vendor/weather', version: '1.0.0' };

  it.each(['command', 'args', 'env', 'mcpServers'])(
    'refuses a document with a member %s, whatever else it has',
    (name) => {
      const remotes = [{ type: 'sse', url: 'https://mcp.vendor.example/sse' }];
      expect(imported({ ...server, remotes })).not.toBeNull();
      expect(imported({ ...server, remotes, [name]: 'sh' })).toBeNull();
    },
  );

  it('lists packages, which are never run', () => {
    expect(imported({ ...server, packages: [{ registryType: 'npm', identifier: 'x' }] })).toMatchObject({
      packages: [{ registryType: 'npm', identifier: 'x' }],
      remotes: [],
    });
  });

  const remoteWith = (headers: readonly object[]): ImportedRemote => {
    const remotes = [{ type: 'sse', url: 'https://mcp.vendor.example/sse', headers }];
    const [remote] = imported({ ...server, remotes })?.remotes ?? [];
    if (remote === undefined) throw new Error('no remote');
    return remote;
  };

  it('returns the templates of headers, and the values that the document sets', () => {
    const remote = remoteWith([
      { name: 'Authorization', value: 'Bearer {token}', isSecret: true, isRequired: true },
      { name: 'X-Api-Version', value: '2026-01-01' },
      { name: 'X-Region', default: 'eu', choices: ['eu', 'us'] },
      { name: 'X-Key', value: 'shared', default: 'shared', isSecret: true },
    ]);
    expect(remote.headers).toMatchObject([
      { name: 'Authorization', value: null, template: 'Bearer {token}' },
      { name: 'X-Api-Version', value: '2026-01-01', template: null },
      { name: 'X-Region', value: null, fallback: 'eu' },
      { name: 'X-Key', value: null, fallback: null },
    ]);
    expect(filledHeaders(remote, { authorization: 'Bearer t' })).toEqual({
      ok: true,
      headers: { authorization: 'Bearer t', 'x-api-version': '2026-01-01', 'x-region': 'eu' },
    });
  });

  it.each([
    ['without a required value', {}],
    ['with another value than that of the document', { Authorization: 't', 'X-Api-Version': '1' }],
    ['with a value that is not one of the choices', { Authorization: 't', 'X-Region': 'cn' }],
    ['with a header that the document does not have', { Authorization: 't', 'X-Other': '1' }],
  ])('refuses to fill a remote %s', (_what, values) => {
    const remote = remoteWith([
      { name: 'Authorization', isRequired: true },
      { name: 'X-Api-Version', value: '2' },
      { name: 'X-Region', choices: ['eu'] },
    ]);
    expect(filledHeaders(remote, values as Record<string, string>).ok).toBe(false);
  });

  it.each([
    ['a host that consists of a variable', 'https://{host}'],
    ['credentials', 'https://a:b@vendor.example/mcp'],
    ['a metadata service', 'https://169.254.169.254/mcp'],
    ['another scheme', 'file:///etc/passwd'],
    ['a variable with odd letters', 'https://{a.b}.vendor.example'],
    [
      'more than 50 variables',
      `https://vendor.example/${Array.from({ length: 51 }, (_, at) => `{v${String(at)}}`).join('/')}`,
    ],
  ])('refuses %s', (_what, url) => {
    expect(imported({ ...server, remotes: [{ type: 'streamable-http', url }] })).toBeNull();
  });

  it.each([[{ toString: 1, valueOf: 1 }], [['X-A']], [1], [null], ['a b'], ['a'.repeat(129)]])(
    'refuses a header with the name %j',
    (name) => {
      const remote = { type: 'sse', url: 'https://mcp.vendor.example/sse', headers: [{ name }] };
      expect(imported({ ...server, remotes: [remote] })).toBeNull();
    },
  );

  it('checks the address again if the host contains variables', () => {
    const remotes = [{ type: 'sse', url: 'https://{a}.{b}/mcp' }];
    const [remote] = imported({ ...server, remotes })?.remotes ?? [];
    if (remote === undefined) throw new Error('no remote');
    expect(filledUrl(remote, { a: 'mcp', b: 'example' }, policy).ok).toBe(true);
    expect(filledUrl(remote, { a: 'metadata', b: 'internal' }, policy).ok).toBe(false);
    expect(filledUrl(remote, { a: '10', b: '1' }, policy).ok).toBe(false);
  });
});

const entry = (slug: string, at: number, more: Partial<RegistryEntry> = {}): RegistryEntry => ({
  name: `io.acme.dev/${slug}`,
  title: slug,
  description: '',
  snapshot: 1,
  isLatest: true,
  publishedAt: NOW + at,
  updatedAt: NOW + at,
  url: `https://gw.example/dev/${slug}/mcp`,
  workspaceId: 'w1',
  workspaceSlug: 'dev',
  ...more,
});
const ENTRIES = [
  ...Array.from({ length: 60 }, (_, at) => entry(`server-${String(at)}`, at)),
  entry('github', 100, { snapshot: 2 }),
  entry('github', 90, { isLatest: false }),
];
const context = { ring: RING, principal: 'p1', workspaces: new Set(['w1', 'dev']) };

type Written = JsonObject & { readonly server: JsonObject };
interface Body {
  readonly servers: readonly Written[];
  readonly metadata: { readonly count: number; readonly nextCursor?: string };
}

function get(target: string, method = 'GET', principal = 'p1'): { status: number; body: unknown } {
  try {
    const request = readRegistryRequest(method, target);
    return { status: 200, body: registryResponse(request, ENTRIES, { ...context, principal }) };
  } catch (error) {
    if (error instanceof RegistryFault) return { status: error.status, body: error.body() };
    throw error;
  }
}

const namesOf = (body: unknown): unknown[] => (body as Body).servers.map(({ server }) => server['name']);

interface RegistryCase {
  readonly input: { readonly path: string };
  readonly expect: string | { readonly status: number };
}

/** What a page must contain, by the words after its status. */
const PAGES: Readonly<Record<string, (body: unknown) => void>> = {
  'newest first, at most 50': (body) => {
    expect(namesOf(body).slice(0, 2)).toEqual(['io.acme.dev/github', 'io.acme.dev/server-59']);
    expect(namesOf(body)).toHaveLength(50);
  },
  'matches without case': (body) => expect(namesOf(body)).toEqual(['io.acme.dev/github']),
  '': (body) => expect(body).toMatchObject({ server: { name: 'io.acme.dev/github', version: '1.2.0' } }),
};

describe('registryResponse', () => {
  it.each(vectors<RegistryCase>('registry'))('%s %s', (_id, _reason, { input, expect: wanted }) => {
    const { status, body } = get(input.path.replace('<OTHER ORG>', 'w2'));
    if (typeof wanted !== 'string') {
      expect(status).toBe(wanted.status);
      expect(body).toEqual({ error: expect.any(String) });
      return;
    }
    const [code, ...words] = wanted.split(', ');
    expect(status).toBe(Number(code));
    const check = PAGES[words.join(', ')];
    if (check === undefined) throw new Error(`no check for ${wanted}`);
    check(body);
  });

  it('returns every server once over all pages', () => {
    const names: unknown[] = [];
    let cursor = '';
    do {
      const { body } = get(`/v0.1/servers?limit=7${cursor}`);
      names.push(...namesOf(body));
      const { nextCursor } = (body as Body).metadata;
      cursor = nextCursor === undefined ? '' : `&cursor=${encodeURIComponent(nextCursor)}`;
    } while (cursor !== '');
    expect(names).toHaveLength(61);
    expect(new Set(names).size).toBe(61);
  });

  it('refuses the cursor of another caller or search', () => {
    const { nextCursor = '' } = (get('/v0.1/servers?limit=1').body as Body).metadata;
    expect(get(`/v0.1/servers?limit=1&cursor=${nextCursor}`).status).toBe(200);
    expect(get(`/v0.1/servers?limit=1&cursor=${nextCursor}`, 'GET', 'p2').status).toBe(400);
    expect(get(`/v0.1/servers?limit=1&search=git&cursor=${nextCursor}`).status).toBe(400);
  });

  it.each([
    ['GET', '/v0.1/servers?limit=101', 400],
    ['GET', '/v0.1/servers?limit=1&limit=2', 400],
    ['GET', '/v0.1/servers?updated_since=2026-13-01T00:00:00Z', 400],
    ['GET', '/v0.1/servers?updated_since=2026-02-30T00:00:00Z', 400],
    ['GET', '/v0.1/servers?updated_since=2028-02-29t23:59:59.5%2b23:59', 200],
    ['GET', '/v0.1/servers/%E0%A4%A/versions', 400],
    ['GET', '/v0.1/servers/io.acme.dev%2Fgithub', 404],
    ['GET', '/v0.1/servers/io.acme.dev%2Fnone/versions', 404],
    ['GET', '/v0.1/servers/io.acme.dev%2Fgithub/versions', 200],
    ['GET', '/v0.1/servers/io.acme.dev%2Fgithub/versions/1.1.0', 200],
    ['PUT', '/v0.1/servers/io.acme.dev%2Fgithub', 501],
    ['DELETE', '/v0.1/servers/io.acme.dev%2Fgithub/versions/1.1.0', 501],
  ])('responds to %s %s with %i', (method, target, status) => {
    expect(get(target, method).status).toBe(status);
  });
});
