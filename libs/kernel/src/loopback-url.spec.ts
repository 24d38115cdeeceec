import { isLoopbackUrl, isSecureUrl } from './loopback-url';

const LOOPBACK = [
  'http://127.0.0.1',
  'http://127.0.0.1/',
  'http://127.0.0.1:8788',
  'http://127.0.0.1:8788/.well-known/jwks.json',
  'http://localhost',
  'http://localhost:3000',
  'http://localhost:3000/callback?code=1#part',
  'http://[::1]',
  'http://[::1]:4000/v1',
];

const ELSEWHERE = [
  'http://idp.example/',
  'http://10.0.0.1/keys',
  'http://127.0.0.1.idp.example/',
  'http://127.0.0.12/',
  'http://localhost.idp.example/',
  'http://localhosts/',
  'http://localhost@idp.example/',
  'http://localhost:80@idp.example/',
  'http://user@localhost/',
  'http://localhost\\@idp.example/',
  'http://localhost\n',
  ' http://localhost/',
  'http://localhost:/',
  'http://[::1].idp.example/',
  'http://[::ffff:10.0.0.1]/',
  'http:/localhost/',
  'https:/idp.example',
  'ftp://localhost/',
  'localhost',
  '',
];

describe('isLoopbackUrl', () => {
  it.each(LOOPBACK)('accepts %j', (url) => {
    expect(isLoopbackUrl(url)).toBe(true);
    expect(isSecureUrl(url)).toBe(true);
  });

  it.each(ELSEWHERE)('refuses %j, which is another host or malformed', (url) => {
    expect(isLoopbackUrl(url)).toBe(false);
    expect(isSecureUrl(url)).toBe(false);
  });

  // Callers compare URLs as texts, so other spellings of the same address are refused.
  it.each(['HTTP://LOCALHOST/', 'http://127.1/', 'http://2130706433/', 'http://localhost?page=1'])(
    'refuses %j, another spelling',
    (url) => {
      expect(isSecureUrl(url)).toBe(false);
    },
  );
});

describe('isSecureUrl', () => {
  it('accepts https for every host', () => {
    expect(isSecureUrl('https://idp.example')).toBe(true);
    expect(isSecureUrl('https://localhost/')).toBe(true);
    expect(isLoopbackUrl('https://localhost/')).toBe(false);
  });
});
