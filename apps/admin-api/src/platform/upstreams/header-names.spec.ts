import { forwardedHeaderFault, sentHeaderFault } from './header-names';

const NONE: ReadonlySet<string> = new Set();

describe('sentHeaderFault', () => {
  it.each(['authorization', 'x-tenant', 'A2A-Version'])('allows %s', (name) => {
    expect(sentHeaderFault(name, NONE)).toBeNull();
  });

  it.each(['host', 'Mcp-Session-Id', 'mcp-param-a', 'x-gw-api-key', 'no name', '', 'a'.repeat(129), 7, null])(
    'refuses %j for every kind of upstream',
    (name) => {
      expect(sentHeaderFault(name, NONE)).toEqual(expect.any(String));
    },
  );

  it('refuses the headers that the protocol of the upstream reserves, in any case', () => {
    expect(sentHeaderFault('A2A-Version', new Set(['a2a-version']))).toEqual(expect.any(String));
  });
});

describe('forwardedHeaderFault', () => {
  it.each(['Authorization', 'cookie', 'X-Api-Key', 'x-user-jwt'])(
    'refuses %s, because it may carry the credential of the caller',
    (name) => {
      expect(sentHeaderFault(name, NONE)).toBeNull();
      expect(forwardedHeaderFault(name, NONE)).toContain('credential');
    },
  );

  it('allows other headers, except those that cannot be sent', () => {
    expect(forwardedHeaderFault('x-tenant', NONE)).toBeNull();
    expect(forwardedHeaderFault('x-tenant', new Set(['x-tenant']))).toEqual(expect.any(String));
    expect(forwardedHeaderFault('host', NONE)).toEqual(expect.any(String));
  });
});
