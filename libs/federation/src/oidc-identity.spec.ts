import { identityOf } from './oidc-identity';

const NAMES = { email: 'email', givenName: 'given_name', familyName: 'family_name', groups: 'groups' };
const CLAIMS = { sub: 'a1', email: 'Ann@Example.org', email_verified: true, given_name: 'Ann', sid: 's1' };

const read = (change: object): ReturnType<typeof identityOf> =>
  identityOf({ ...CLAIMS, ...change }, {}, NAMES);

describe('the identity in the claims of a provider', () => {
  it('has the subject, the address in lower case, names and the session', () => {
    expect(read({})).toMatchObject({
      ...{ subject: 'a1', email: 'ann@example.org', isEmailVerified: true },
      ...{ givenName: 'Ann', familyName: '', session: 's1' },
    });
  });

  it.each([
    ['no subject', { sub: '' }],
    ['a subject that is too long', { sub: 'a'.repeat(256) }],
    ['a subject with NUL', { sub: 'a\0b' }],
    // Stores would replace it, so that all such subjects were one.
    ['a subject with half of a surrogate pair', { sub: 'a\ud800' }],
    ['an address with NUL', { email: 'a\0@example.org' }],
    ['an address with half of a surrogate pair', { email: '\udc00@example.org' }],
    ['an address that is too long', { email: `${'a'.repeat(64)}@${'b'.repeat(256)}` }],
  ])('is refused with %s', (_, change) => {
    expect(() => read(change)).toThrow();
  });

  it('leaves out names and a session that cannot be stored', () => {
    expect(read({ given_name: 'A\0', family_name: '\ud800', sid: '\0' })).toMatchObject({
      ...{ givenName: '', familyName: '', session: null },
    });
  });
});
