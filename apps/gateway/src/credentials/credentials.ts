import {
  credentialBinding,
  type ProviderCredentialContent,
  type ProviderDocument,
  type SecretUse,
} from '@gw/contracts';
import { GatewayError, unseal, VendorError, type Keyring } from '@gw/kernel';
import type { Credential } from '@gw/providers';
import type { SecretResolver } from '@gw/secret-managers';
import { withSecrets } from './secret-values';

interface Opened {
  readonly credential: Credential;
  readonly secrets: readonly SecretUse[];
}

/**
 * Decrypts the credentials of saved providers, once for each version of a document. A decrypted
 * credential lives as long as its document, so the bounds of the read model bound both.
 */
export class Credentials {
  private readonly opened = new WeakMap<ProviderDocument, Opened>();

  constructor(
    private readonly ring: Keyring,
    private readonly resolver: SecretResolver,
  ) {}

  /**
   * Returns a promise only when a secret has to be fetched from its secret manager. Throws
   * `internal_error` when the credential was sealed for another provider or with another key, and
   * `secret_unavailable` when a secret cannot be fetched.
   */
  of(document: ProviderDocument): Credential | Promise<Credential> {
    let known = this.opened.get(document);
    if (!known) {
      known = this.open(document);
      this.opened.set(document, known);
    }
    return known.secrets.length === 0 ? known.credential : this.complete(document, known);
  }

  private complete(
    document: ProviderDocument,
    { credential, secrets }: Opened,
  ): Credential | Promise<Credential> {
    const unavailable = (error: unknown): GatewayError =>
      new GatewayError('secret_unavailable', {
        extra: { provider: `@${document.slug}` },
        detail: {
          reason:
            error instanceof VendorError ? error.message : 'The secret does not have the required form.',
        },
        cause: error,
      });
    try {
      const values = secrets.map(({ location }) => {
        if (location === null) {
          throw new VendorError('refused', 'This workspace may not use the secret reference.');
        }
        return this.resolver.resolve(location, document.organisationId);
      });
      if (values.every((value) => typeof value === 'string')) return withSecrets(credential, secrets, values);
      return Promise.all(values.map((value) => Promise.resolve(value))).then(
        (texts) => {
          try {
            return withSecrets(credential, secrets, texts);
          } catch (error) {
            throw unavailable(error);
          }
        },
        (error: unknown) => {
          throw unavailable(error);
        },
      );
    } catch (error) {
      throw unavailable(error);
    }
  }

  private open(document: ProviderDocument): Opened {
    const { sealedCredential, workspaceId, id, configurations, slug } = document;
    if (sealedCredential === null) return { credential: { apiKey: null, configurations }, secrets: [] };
    try {
      const {
        apiKey,
        configurations: hidden,
        secrets,
      } = JSON.parse(
        unseal(this.ring, sealedCredential, credentialBinding(workspaceId, id)).toString('utf8'),
      ) as ProviderCredentialContent;
      return {
        credential: { apiKey: apiKey ?? null, configurations: { ...configurations, ...hidden } },
        secrets: secrets ?? [],
      };
    } catch (error) {
      throw new GatewayError('internal_error', {
        detail: { provider: slug, reason: 'credential' },
        cause: error,
      });
    }
  }
}
