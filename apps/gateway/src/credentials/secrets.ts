import { parseTrustedHosts, type AddressPolicy } from '@gw/kernel';
import { createSecretReader, SecretResolver } from '@gw/secret-managers';
import type { GatewaySettings } from '../settings';

/** Resolves provider secrets that are stored in a secret manager. */
export const createSecrets = (settings: GatewaySettings, policy: AddressPolicy): SecretResolver =>
  new SecretResolver(
    createSecretReader({
      settings,
      policy,
      trustedHosts: parseTrustedHosts(settings.TRUSTED_CUSTOM_HOSTS),
      proxy: { httpProxy: settings.HTTP_PROXY, httpsProxy: settings.HTTPS_PROXY, noProxy: settings.NO_PROXY },
    }),
  );
