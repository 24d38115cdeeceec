import {
  clientAddress,
  networkOf,
  signClientAddress,
  signedClientAddress,
  trustedProxies,
} from './client-address';

const PROXIES = trustedProxies.parse('10.0.0.0/8, 192.168.1.7, fd00::/8');
const TOKEN = 'service-token-of-the-tests-0123456789';

describe('clientAddress', () => {
  const addressOf = (peer: string, forwarded?: string | string[]): string =>
    clientAddress(peer, forwarded, PROXIES);

  it('returns the peer when the peer is no trusted proxy, whatever x-forwarded-for contains', () => {
    expect(addressOf('203.0.113.9')).toBe('203.0.113.9');
    expect(addressOf('203.0.113.9', '198.51.100.1')).toBe('203.0.113.9');
    expect(clientAddress('10.0.0.1', '198.51.100.1', trustedProxies.fallback ?? PROXIES)).toBe('10.0.0.1');
  });

  it('returns the right-most untrusted hop behind one proxy and behind a chain of proxies', () => {
    expect(addressOf('10.0.0.1', '198.51.100.1')).toBe('198.51.100.1');
    expect(addressOf('10.0.0.1', '6.6.6.6, 198.51.100.1, 192.168.1.7')).toBe('198.51.100.1');
    expect(addressOf('fd00::1', ['6.6.6.6', '198.51.100.1, 10.2.3.4'])).toBe('198.51.100.1');
    expect(addressOf('10.0.0.1', '10.9.9.9')).toBe('10.9.9.9');
  });

  it('parses mapped addresses, ports and brackets, and stops at an entry that is no address', () => {
    expect(addressOf('::ffff:10.0.0.1', '::ffff:198.51.100.1')).toBe('198.51.100.1');
    expect(addressOf('10.0.0.1', '198.51.100.1:4711')).toBe('198.51.100.1');
    expect(addressOf('10.0.0.1', '[2001:DB8::1]:443')).toBe('2001:db8::1');
    expect(addressOf('10.0.0.1', '198.51.100.1, unknown')).toBe('10.0.0.1');
    expect(addressOf('10.0.0.1', '')).toBe('10.0.0.1');
  });
});

describe('trustedProxies', () => {
  it('refuses names, invalid prefix lengths and other texts', () => {
    for (const text of [
      'localhost',
      '10.0.0.0/33',
      '*',
      '10.0.0.0/',
      '10.0.0.0/8/8',
      'fd00::/129',
      '10.0.0.1,',
    ]) {
      expect(() => trustedProxies.parse(text)).toThrow('must be addresses and ranges');
    }
  });
});

describe('signClientAddress and signedClientAddress', () => {
  const now = 1_800_000_000_000;

  it('return the signed address with the same service token within five minutes', () => {
    const signed = signClientAddress(TOKEN, '198.51.100.1', now);
    expect(signedClientAddress(TOKEN, signed, now + 60_000)).toBe('198.51.100.1');
    expect(signedClientAddress(TOKEN, signed, now + 301_000)).toBeNull();
    expect(signedClientAddress(`${TOKEN}x`, signed, now)).toBeNull();
  });

  it('return null when any part of the signed text was changed', () => {
    const signed = signClientAddress(TOKEN, '198.51.100.1', now);
    const forged = [
      signed.replace('198.51.100.1', '198.51.100.2'),
      signed.replace(String(now), String(now + 1)),
      signed.slice(0, -2),
      `${signed};`,
      '198.51.100.1',
      '',
      undefined,
      [signed, signed],
    ];
    for (const header of forged) expect(signedClientAddress(TOKEN, header, now)).toBeNull();
  });
});

describe('networkOf', () => {
  it('returns the address itself for IPv4 and the /64 for IPv6', () => {
    expect(networkOf('198.51.100.1')).toBe('198.51.100.1');
    expect(networkOf('2001:db8:0:1::9')).toBe('2001:db8:0:1::/64');
    expect(networkOf('2001:db8:0:1:ffff:ffff:ffff:ffff')).toBe('2001:db8:0:1::/64');
    expect(networkOf('::1')).toBe('0:0:0:0::/64');
  });
});
