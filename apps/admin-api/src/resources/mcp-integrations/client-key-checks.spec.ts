import { generateKeyPairSync } from 'node:crypto';
import type { CheckedIntegration } from '../../platform/upstreams/configuration-faults';
import { configurationFaultsOf } from '../../platform/upstreams/configuration-rules';
import { mappingTarget } from '../../platform/upstreams/upstream-mappings';
import { MCP_UPSTREAM } from './mcp-configurations';

const key = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({
  ...{ format: 'pem', type: 'pkcs8' },
}) as string;
const endpoint = { token_endpoint: 'https://as.example.com/token' };
const client = {
  ...{ client_id: 'tollgate', auth_method: 'private_key_jwt', issuer: 'https://as.example.com' },
  private_key: key,
};

const OF: CheckedIntegration = {
  ...{ authType: 'oauth_auto', url: 'https://mcp.example.com/mcp', mapped: new Set(), hasIssuer: true },
  sendsAuthorization: false,
};
const faultsOf = (configurations: object, of: Partial<CheckedIntegration>): readonly string[] =>
  configurationFaultsOf(MCP_UPSTREAM.rules, configurations as never, { ...OF, ...of }).map(({ path }) =>
    path.replace(/^configurations\.\w+\./, ''),
  );

describe.each<[CheckedIntegration['authType'], string, object]>([
  ['oauth_auto', 'oauth_metadata', {}],
  ['oauth_client_credentials', 'oauth_client_credentials', endpoint],
  ['token_exchange', 'token_exchange', endpoint],
])('a client with a key for %s', (authType, member, address) => {
  const faults = (more: object, of: Partial<CheckedIntegration> = {}): readonly string[] =>
    faultsOf({ [member]: { ...client, ...address, ...more } }, { authType, ...of });

  it('may be saved', () => {
    expect(faults({})).toEqual([]);
    expect(faults({ key_id: 'one', signing_alg: 'ES256', client_secret: null })).toEqual([]);
    expect(faults({ private_key: undefined }, { mapped: new Set(['private_key']) })).toEqual([]);
  });

  it.each<[string, object, Partial<CheckedIntegration>, readonly string[]]>([
    ['a secret as well', { client_secret: 'secret-of-client' }, {}, ['client_secret']],
    ['a mapped secret as well', {}, { mapped: new Set(['client_secret']) }, ['secret_mappings']],
    ['no key', { private_key: undefined }, {}, ['private_key']],
    ['a text that is no key', { private_key: 'no key' }, {}, ['private_key']],
    ['the mask of a key', { private_key: '*****' }, {}, ['private_key']],
    ['an algorithm of another key', { signing_alg: 'RS256' }, {}, ['signing_alg']],
    ['a symmetric algorithm', { signing_alg: 'HS256' }, {}, ['signing_alg']],
    ['a long key id', { key_id: 'k'.repeat(257) }, {}, ['key_id']],
    ['no issuer', { issuer: undefined }, {}, ['issuer']],
    ['an issuer without https', { issuer: 'http://as.example.com' }, {}, ['issuer']],
    [
      'a key but the method of secrets',
      { auth_method: 'client_secret_tls' },
      {},
      ['auth_method', 'private_key'],
    ],
  ])('is refused with %s', (_what, more, of, paths) => {
    const found = faults(more, of);
    for (const path of paths) expect(found).toContain(path);
  });

  it('cannot be changed to a client with a secret while its key is present', () => {
    const more = { auth_method: undefined, client_secret: 'secret-of-client' };
    expect(faults(more)).toContain('private_key');
    expect(faults({ ...more, private_key: null })).not.toContain('private_key');
    const mapped = new Set(['client_secret', 'private_key']);
    expect(faults({ ...more, private_key: null, client_secret: null }, { mapped })).toContain(
      'secret_mappings',
    );
  });

  it('binds its key to the authorization server', () => {
    const path = `configurations.${member}.issuer`;
    expect(MCP_UPSTREAM.clientAddresses({ [member]: { ...client, ...address } })).toHaveProperty(
      [path],
      client.issuer,
    );
  });

  it('may have its key in a secret manager', () => {
    expect(mappingTarget(MCP_UPSTREAM, 'private_key', authType)).toBe('private_key');
    expect(mappingTarget(MCP_UPSTREAM, 'private_key', 'id_jag')).toBeNull();
  });
});
