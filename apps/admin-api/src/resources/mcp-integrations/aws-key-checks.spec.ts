import type { ErrorDetail } from '@gw/kernel';
import type { CheckedIntegration } from '../../platform/upstreams/configuration-faults';
import { configurationFaultsOf } from '../../platform/upstreams/configuration-rules';
import { mappingTarget } from '../../platform/upstreams/upstream-mappings';
import { MCP_UPSTREAM } from './mcp-configurations';

const OF: CheckedIntegration = {
  ...{ authType: 'aws_sigv4', url: 'https://mcp.example.com/mcp', mapped: new Set(), hasIssuer: true },
  sendsAuthorization: false,
};
const KEY = {
  ...{ access_key_id: 'AKIDSTUB00000000SELF', region: 'eu-central-1', service: 'bedrock-agentcore' },
  secret_access_key: 'stub+own/secret0123456789',
};
const faultsOf = (
  values: Readonly<Record<string, unknown>>,
  of: CheckedIntegration,
): readonly ErrorDetail[] => configurationFaultsOf(MCP_UPSTREAM.rules, values, of);
const faults = (more: object, of: Partial<CheckedIntegration> = {}): readonly string[] =>
  faultsOf({ aws_sigv4: { ...KEY, ...more } }, { ...OF, ...of }).map(({ path }) =>
    path.replace('configurations.aws_sigv4.', ''),
  );

describe('aws_sigv4', () => {
  it('may be saved, with its secret or a mapping', () => {
    expect(faults({})).toEqual([]);
    const mapped = new Set(['secret_access_key']);
    expect(faults({ secret_access_key: undefined }, { mapped })).toEqual([]);
  });

  it.each<[string, object, string]>([
    ['no secret', { secret_access_key: undefined }, 'secret_access_key'],
    ['the mask of a secret', { secret_access_key: '*****' }, 'secret_access_key'],
    ['a long secret', { secret_access_key: 's'.repeat(257) }, 'secret_access_key'],
    ['no id', { access_key_id: undefined }, 'access_key_id'],
    ['an id with a separator', { access_key_id: 'AKIDSTUB00000000/ELF' }, 'access_key_id'],
    ['a region that is no name', { region: 'eu-central-1/s3' }, 'region'],
    ['no service', { service: '' }, 'service'],
    ['an unknown member', { session: 'a' }, 'session'],
  ])('is refused with %s', (_what, more, path) => {
    expect(faults(more)).toEqual([path]);
  });

  it('is required with its authentication type, and refused with others', () => {
    expect(faultsOf({}, OF).map(({ path }) => path)).toEqual(['configurations.aws_sigv4']);
    expect(faultsOf({ aws_sigv4: KEY }, { ...OF, authType: 'none' })).toHaveLength(1);
  });

  it('may have its own secret in a secret manager, and no other one', () => {
    expect(mappingTarget(MCP_UPSTREAM, 'secret_access_key', 'aws_sigv4')).toBe('secret_access_key');
    expect(mappingTarget(MCP_UPSTREAM, 'client_secret', 'aws_sigv4')).toBeNull();
    expect(mappingTarget(MCP_UPSTREAM, 'secret_access_key', 'oauth_auto')).toBeNull();
  });
});
