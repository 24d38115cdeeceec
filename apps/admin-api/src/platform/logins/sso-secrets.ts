import { ssoConnectionBinding, type SsoConnectionEntity } from '@gw/entities';
import type { OidcSettings, PrivateJwk } from '@gw/federation';
import { seal, unseal, type Keyring } from '@gw/kernel';

/** The secrets of a connection. */
export interface SsoSecrets {
  readonly clientSecret: string | null;
  readonly keys: readonly PrivateJwk[];
  /** PEM of the key that signs SAML requests and decrypts assertions. */
  readonly samlKey?: string;
}

const NONE: SsoSecrets = { clientSecret: null, keys: [] };

export const sealSecrets = (keyring: Keyring, id: string, secrets: SsoSecrets): string | null =>
  secrets.clientSecret === null && secrets.keys.length === 0 && secrets.samlKey === undefined
    ? null
    : seal(keyring, JSON.stringify(secrets), ssoConnectionBinding(id));

export const openSecrets = (keyring: Keyring, { id, sealedSecrets }: SsoConnectionEntity): SsoSecrets =>
  sealedSecrets === null
    ? NONE
    : (JSON.parse(unseal(keyring, sealedSecrets, ssoConnectionBinding(id)).toString('utf8')) as SsoSecrets);

export const oidcSettings = (row: SsoConnectionEntity, secrets: SsoSecrets): OidcSettings => ({
  issuer: row.issuer,
  clientId: row.clientId,
  authMethod: row.tokenEndpointAuthMethod,
  clientSecret: secrets.clientSecret,
  keys: secrets.keys,
  scopes: row.scopes,
  maxAge: row.maxAge,
  acrValues: row.acrValues,
  prompt: row.prompt,
  claimNames: {
    email: row.emailClaim ?? 'email',
    givenName: row.givenNameClaim ?? 'given_name',
    familyName: row.familyNameClaim ?? 'family_name',
    groups: row.groupsClaim,
  },
});
