import { rsaKeyPair, TOKEN_AUDIENCE } from '@gw/testing';

const KEY = rsaKeyPair('k1');

/**
 * Returns the fields of a trust with a separate issuer, whose tokens may call models in the
 * workspace that they name.
 */
export const trustFields = (name: string): Readonly<Record<string, unknown>> => ({
  name,
  kind: 'jwt',
  issuer: `https://${name}.example.org`,
  jwks: { keys: [KEY.jwk] },
  audiences: [TOKEN_AUDIENCE],
  maps: [{ scopes: ['completions.write'] }],
});
