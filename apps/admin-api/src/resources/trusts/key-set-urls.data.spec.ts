import { createAddressPolicy, GatewayError } from '@gw/kernel';
import { BufferedClient } from '@gw/outbound';
import { readCases, TOKEN_ISSUER } from '@gw/testing';
import { TrustKeys } from './trust-keys.service';

const { jwks } = readCases('jwt.json') as {
  readonly jwks: readonly { readonly id: string; readonly responses: readonly string[] }[];
};
const settingOf = (id: string): string => jwks.find((each) => each.id === id)?.responses[0] ?? '';

describe('saved addresses of key sets', () => {
  const policy = createAddressPolicy({ trustedHosts: [] });
  const keys = new TrustKeys(policy, new BufferedClient({ policy }));
  // The hosts in the script have names of one label, which are private; the rules for lists are the
  // same for others.
  const spaced = settingOf('jwks-18').replaceAll('//a/', '//a.example/').replaceAll('//b/', '//b.example/');

  it('[SCP-03] jwks-18 ignore spaces and empty entries in the setting', async () => {
    expect(spaced).toBe(' https://a.example/jwks , https://b.example/jwks ,');
    const { jwksUrls } = await keys.read(TOKEN_ISSUER, spaced, null);
    expect(jwksUrls).toEqual(['https://a.example/jwks', 'https://b.example/jwks']);
  });

  it('[SCP-03] jwks-19 refuse a metadata URI in the list', async () => {
    const setting = settingOf('jwks-19').replace('//a/', '//a.example/');
    expect(setting).toBe('https://a.example/jwks,http://169.254.169.254/');
    const fault: unknown = await keys.read(TOKEN_ISSUER, setting, null).catch((error: unknown) => error);
    expect(fault).toBeInstanceOf(GatewayError);
    expect(fault).toMatchObject({ type: 'validation_failed', options: { param: 'jwks_uri' } });
    expect((fault as Error).message).toContain('Metadata');
  });
});
