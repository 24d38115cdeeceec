import { readCases } from '@gw/testing';
import { assertAllowedUrl, createAddressPolicy, parseTrustedHosts } from './address-policy';
import { GatewayError } from './errors';

interface SsrfCase {
  readonly id: string;
  readonly url?: string;
  readonly gen?: { prefix: string; repeat: string; total: number; suffix?: string };
  readonly value?: unknown;
  readonly expect: 'accept' | 'reject';
  readonly layer?: 'url' | 'dns';
  readonly reason: string;
  readonly trusted?: string;
}

const data = readCases('ssrf.json') as {
  cases: SsrfCase[];
  trusted_cases: SsrfCase[];
};

function urlOf({ url, gen, value }: SsrfCase): unknown {
  if (gen) return gen.prefix.padEnd(gen.total, gen.repeat) + (gen.suffix ?? '');
  return url ?? value;
}

const strict = createAddressPolicy({ trustedHosts: [] });

describe('checkUrl of the address policy', () => {
  const cases = data.cases.filter((entry) => entry.layer === 'url');

  it.each(cases.map((entry) => [entry.id, entry.reason, entry] as const))(
    '[ERR-09] %s: %s',
    (_id, _reason, entry) => {
      expect(strict.checkUrl(urlOf(entry)).ok).toBe(entry.expect === 'accept');
    },
  );

  it.each(data.trusted_cases.map((entry) => [entry.id, entry.reason, entry] as const))(
    '[ERR-09] %s: with trusted hosts, %s',
    (_id, _reason, entry) => {
      const policy = createAddressPolicy({ trustedHosts: parseTrustedHosts(entry.trusted ?? '') });
      expect(policy.checkUrl(urlOf(entry)).ok).toBe(entry.expect === 'accept');
    },
  );

  it('refuses a million characters for their length, before it reads them', () => {
    const padding = 'a'.repeat(1_000_000);
    // Each text also breaks another rule, which a check of the text would report.
    for (const long of [`${padding}://x`, `http://169.254.169.254/${padding}`, `https://a\\b#${padding}\0`])
      expect(strict.checkUrl(long)).toEqual({
        ok: false,
        rule: 'The URL must have at most 2048 characters.',
      });
  });

  it.each([
    ['http://[2001:200::1]/', true],
    ['http://[2001:1ff::1]/', false],
    ['http://[2000::1]/', true],
    ['http://[1fff:ffff::1]/', false],
    ['http://[4000::1]/', false],
    ['http://[3fff:1000::1]/', true],
    ['http://[::ffff:8.8.8.8]/', true],
    ['http://[2002:808:808::1]/', true],
    ['http://[64:ff9b::808:808]/', true],
    ['http://[1:2:3:4:5:6:7]/', false],
    ['http://[1:2:3:4:5:6:7::8]/', false],
    ['http://[::1::]/', false],
    ['http://172.32.0.0/', true],
    ['http://198.20.0.0/', true],
    ['http://223.255.255.255/', true],
    ['http://224.0.0.0/', false],
    ['http://llm.example.org:0/', false],
    ['http://llm.example.org:27017/', false],
    ['http://llm.example.org:11434/', true],
    ['http://-a.example.org/', false],
    ['http://a_b.example.org/', false],
    ['http://my.service.svc/', false],
    ['http://web.service.consul/', false],
    ['http://consul.example.org/', true],
    ['http://kubernetes.example.org/', true],
  ])('judges %s by its range, port or name (accepted: %s)', (url, accepted) => {
    expect(strict.checkUrl(url).ok).toBe(accepted);
  });
});

describe('checkAddress of the address policy', () => {
  it('[ERR-09] refuses a private address of a public name, and accepts a public one', () => {
    expect(strict.checkAddress('10.0.0.5', 'llm.example.org').ok).toBe(false);
    expect(strict.checkAddress('::ffff:127.0.0.1', 'llm.example.org').ok).toBe(false);
    expect(strict.checkAddress('64:ff9b::a9fe:a9fe', 'llm.example.org').ok).toBe(false);
    expect(strict.checkAddress('93.184.215.14', 'llm.example.org').ok).toBe(true);
    expect(strict.checkAddress('not an address', 'llm.example.org').ok).toBe(false);
  });

  it('[ERR-09] accepts a private address of a trusted name, but never a metadata service', () => {
    const policy = createAddressPolicy({ trustedHosts: ['llm.internal', '*.lan'] });
    expect(policy.checkAddress('10.0.0.5', 'llm.internal').ok).toBe(true);
    expect(policy.checkAddress('fd12::5', 'gpu.lan').ok).toBe(true);
    expect(policy.checkAddress('169.254.169.254', 'llm.internal').ok).toBe(false);
    expect(policy.checkAddress('::ffff:169.254.169.254', 'llm.internal').ok).toBe(false);
    expect(policy.checkAddress('10.0.0.5', 'other.internal').ok).toBe(false);
  });

  it('accepts a trusted address of any name, in any spelling', () => {
    const policy = createAddressPolicy({ trustedHosts: ['127.0.0.1', '[::1]'] });
    expect(policy.checkAddress('127.0.0.1', 'llm.example.org').ok).toBe(true);
    expect(policy.checkAddress('0:0:0:0:0:0:0:1', 'llm.example.org').ok).toBe(true);
    expect(policy.checkAddress('127.0.0.2', 'llm.example.org').ok).toBe(false);
  });
});

describe('parseTrustedHosts', () => {
  it('strips scheme, port and path, and drops entries that name no host', () => {
    const text =
      ' https://LLM.internal:8443/v1 , [::1]:8000, ::1, 10.0.0.9:80, *.lan, *, *.*, *.0.0.1, a b,, ';
    expect(parseTrustedHosts(text)).toEqual(['llm.internal', '::1', '::1', '10.0.0.9', '*.lan']);
  });
});

describe('assertAllowedUrl', () => {
  it('[ERR-09] names the field and the broken rule', () => {
    expect(assertAllowedUrl(strict, 'https://api.openai.com/v1', 'custom_host').hostname).toBe(
      'api.openai.com',
    );
    try {
      assertAllowedUrl(strict, 'http://10.0.0.1/', 'targets.0.custom_host');
      throw new Error('the URL was allowed');
    } catch (error) {
      expect(error).toBeInstanceOf(GatewayError);
      expect((error as GatewayError).toBody(null).error).toMatchObject({
        type: 'custom_host_refused',
        code: 'AB01',
        param: 'targets.0.custom_host',
        details: [{ path: 'targets.0.custom_host', message: expect.stringContaining('Private') }],
      });
    }
  });
});
