import { ssoConnectionBinding, type SsoConnectionEntity } from '@gw/entities';
import type { OidcSettings, PrivateJwk } from '@gw/federation';
import { GatewayError, seal, type Keyring } from '@gw/kernel';
import { openedOr, openJson, UNREADABLE_MESSAGE } from '../credentials/unreadable-secrets';

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

/** Throws `sso_login_refused` when the secrets cannot be opened. */
export function openSecrets(keyring: Keyring, { id, sealedSecrets }: SsoConnectionEntity): SsoSecrets {
  if (sealedSecrets === null) return NONE;
  try {
    return openJson(keyring, sealedSecrets, ssoConnectionBinding(id));
  } catch (cause) {
    const message = `The connection cannot be used now. ${UNREADABLE_MESSAGE}`;
    throw new GatewayError('sso_login_refused', { message, cause });
  }
}

/**
 * Returns the secrets, or none when they cannot be opened, so that their connection can still be
 * shown, disabled, given new secrets and deleted.
 */
export function readableSecrets(keyring: Keyring, row: SsoConnectionEntity): SsoSecrets {
  return openedOr(
    () => openSecrets(keyring, row),
    () => NONE,
  );
}

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
