import { credentialBinding, type ProviderDocument } from '@gw/contracts';
import { GatewayError, unseal, type Keyring } from '@gw/kernel';
import type { Credential } from '@gw/providers';

/**
 * Opens the credentials of saved providers, once for each version of a document. They live exactly as long as the document
 * that they came with: the read model bounds both.
 */
export class Credentials {
  private readonly opened = new WeakMap<ProviderDocument, Credential>();

  constructor(private readonly ring: Keyring) {}

  /** Throws `internal_error` when the credential was not sealed to this provider or by another key. */
  of(document: ProviderDocument): Credential {
    const known = this.opened.get(document);
    if (known) return known;
    const credential = this.open(document);
    this.opened.set(document, credential);
    return credential;
  }

  private open(document: ProviderDocument): Credential {
    const { sealedCredential, workspaceId, id, configurations, slug } = document;
    if (sealedCredential === null) return { apiKey: null, configurations };
    try {
      const opened = JSON.parse(
        unseal(this.ring, sealedCredential, credentialBinding(workspaceId, id)).toString('utf8'),
      ) as { apiKey?: string; configurations?: Record<string, unknown> };
      return {
        apiKey: opened.apiKey ?? null,
        configurations: { ...configurations, ...opened.configurations },
      };
    } catch (error) {
      throw new GatewayError('internal_error', {
        detail: { provider: slug, reason: 'credential' },
        cause: error,
      });
    }
  }
}
