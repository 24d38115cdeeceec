import {
  credentialBinding,
  type ProviderCredentialContent,
  type ProviderDocument,
  type SecretUse,
} from '@gw/contracts';
import { GatewayError, unseal, type Keyring } from '@gw/kernel';
import type { Credential } from '@gw/providers';
import { SecretError, type SecretResolver } from '@gw/secret-managers';
import { withSecrets } from './secret-values';

interface Opened {
  readonly credential: Credential;
  readonly secrets: readonly SecretUse[];
}

/**
 * Opens the credentials of saved providers, once for each version of a document. They live exactly as long as the document
 * that they came with: the read model bounds both.
 */
export class Credentials {
  private readonly opened = new WeakMap<ProviderDocument, Opened>();

  constructor(
    private readonly ring: Keyring,
    private readonly resolver: SecretResolver,
  ) {}

  /**
   * Waits only for a secret that has to be read from its manager. Throws `internal_error` when the credential was not sealed to
   * this provider or by another key, and `secret_unavailable` when a secret can't be had.
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
            error instanceof SecretError ? error.message : 'The secret does not have the required form.',
        },
        cause: error,
      });
    try {
      const values = secrets.map(({ location }) => {
        if (location === null) {
          throw new SecretError('refused', 'The secret reference is not open to this workspace.');
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
