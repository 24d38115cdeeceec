import type { ErrorDetail } from '@gw/kernel';
import type { CheckedIntegration } from '../../platform/upstreams/configuration-faults';
import { configurationFaultsOf } from '../../platform/upstreams/configuration-rules';
import { MCP_UPSTREAM } from './mcp-configurations';

const OF: CheckedIntegration = {
  ...{ authType: 'none', url: 'https://mcp.example.com/mcp', mapped: new Set(), hasIssuer: true },
  sendsAuthorization: false,
};
const faultsOf = (
  values: Readonly<Record<string, unknown>>,
  of: CheckedIntegration,
): readonly ErrorDetail[] => configurationFaultsOf(MCP_UPSTREAM.rules, values, of);
const faults = (rule: object, of: Partial<CheckedIntegration> = {}): readonly string[] =>
  faultsOf({ user_identity_forwarding: rule }, { ...OF, ...of }).map(({ path }) => path);
const PATH = 'configurations.user_identity_forwarding';

describe('user_identity_forwarding', () => {
  it.each([
    { method: 'claims_header', header_name: 'x-user' },
    { method: 'jwt_header' },
    { method: 'jwt_header', header_name: 'x-identity', jwt_expiry_seconds: 30, include_claims: ['sub'] },
    { method: 'bearer', jwt_expiry_seconds: 300 },
  ])('may be %j', (rule) => {
    expect(faults(rule)).toEqual([]);
  });

  it.each<[string, object, Partial<CheckedIntegration>, string]>([
    ['an unknown method', { method: 'cookie' }, {}, `${PATH}.method`],
    ['no public URL', { method: 'bearer' }, { hasIssuer: false }, `${PATH}.method`],
    ['another bearer token', { method: 'bearer' }, { authType: 'oauth_auto' }, `${PATH}.method`],
    ['a name for the bearer token', { method: 'bearer', header_name: 'x-a' }, {}, `${PATH}.header_name`],
    [
      'a token in authorization',
      { method: 'jwt_header', header_name: 'Authorization' },
      {},
      `${PATH}.header_name`,
    ],
    ['a long life', { method: 'jwt_header', jwt_expiry_seconds: 301 }, {}, `${PATH}.jwt_expiry_seconds`],
    [
      'a life of claims',
      { method: 'claims_header', jwt_expiry_seconds: 60 },
      {},
      `${PATH}.jwt_expiry_seconds`,
    ],
    [
      'an unknown claim',
      { method: 'jwt_header', include_claims: ['password'] },
      {},
      `${PATH}.include_claims`,
    ],
    ['plain HTTP', { method: 'jwt_header' }, { url: 'http://mcp.example.com' }, PATH],
  ])('is refused with %s', (_what, rule, of, path) => {
    expect(faults(rule, of)).toEqual([path]);
  });

  it('is refused as a bearer token next to an authorization header of the integration', () => {
    const values = {
      headers: { authorization: 'Bearer secret' },
      user_identity_forwarding: { method: 'bearer' },
    };
    const of = { ...OF, authType: 'headers', sendsAuthorization: true } as const;
    expect(faultsOf(values, of).map(({ path }) => path)).toEqual([`${PATH}.method`]);
    expect(
      faultsOf({ ...values, headers: { 'x-a': 'secret-value' } }, { ...of, sendsAuthorization: false }),
    ).toEqual([]);
  });
});

describe('headers', () => {
  it('may have names that only A2A reserves', () => {
    const values = { headers: { 'a2a-version': '1.0' }, passthrough_headers: ['a2a-extensions'] };
    const of = { ...OF, authType: 'headers' } as const;
    expect(faultsOf({ ...values, passthrough_acknowledged: true }, of)).toEqual([]);
  });
});
