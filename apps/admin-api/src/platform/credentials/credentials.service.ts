import {
  credentialBinding,
  type McpAuthContent,
  type ProviderCredentialContent,
  type SecretUse,
} from '@gw/contracts';
import {
  integrationBinding,
  type IntegrationEntity,
  type ProviderEntity,
  type UpstreamIntegration,
} from '@gw/entities';
import { seal, type Keyring } from '@gw/kernel';
import { Injectable } from '@nestjs/common';
import { createHash } from 'node:crypto';
import { Secrets } from '../../settings';
import { openJson } from './unreadable-secrets';

/** The secret part of an integration: its key and its secret provider fields. */
export interface PlainCredential {
  readonly apiKey?: string;
  readonly configurations: Readonly<Record<string, unknown>>;
}

export interface ProviderCredential {
  /** `seal()` of a `PlainCredential`, bound to the provider; null when there is no secret. */
  readonly sealedCredential: string | null;
  /**
   * Changes only when the credential is written; sealing the same credential twice gives different
   * texts.
   */
  readonly version: string;
}

type Owner = Pick<IntegrationEntity, 'id' | 'organisationId'>;

/**
 * Seals and opens provider credentials. No other code of the control plane sees them in clear text.
 */
@Injectable()
export class CredentialsService {
  private readonly keyring: Keyring;

  constructor(secrets: Secrets) {
    this.keyring = secrets.sealingKeyring;
  }

  /** Returns the stored form of an integration's credential; null when there is no secret. */
  seal(owner: Owner, credential: PlainCredential): string | null {
    const empty = credential.apiKey === undefined && Object.keys(credential.configurations).length === 0;
    return empty ? null : seal(this.keyring, JSON.stringify(credential), integrationBinding(owner));
  }

  /**
   * Opens the credential of an integration. Throws `conflict` when the text was sealed for another
   * integration or with a key that is no longer configured.
   */
  open(integration: Owner & Pick<IntegrationEntity, 'sealedCredential'>): PlainCredential {
    const { sealedCredential } = integration;
    if (sealedCredential === null) return { configurations: {} };
    return openJson(this.keyring, sealedCredential, integrationBinding(integration));
  }

  /**
   * Returns the integration's credential in the form in which a provider's document carries it to a
   * gateway. `secrets` are the parts that are in secret managers.
   */
  sealForProvider(
    integration: Owner & Pick<IntegrationEntity, 'sealedCredential'>,
    provider: Pick<ProviderEntity, 'id' | 'workspaceId'>,
    secrets: readonly SecretUse[] = [],
  ): ProviderCredential {
    const { sealedCredential } = integration;
    if (sealedCredential === null && secrets.length === 0) return { sealedCredential: null, version: 'none' };
    const content: ProviderCredentialContent = {
      ...this.open(integration),
      ...(secrets.length === 0 ? {} : { secrets }),
    };
    const binding = credentialBinding(provider.workspaceId, provider.id);
    return {
      sealedCredential: seal(this.keyring, JSON.stringify(content), binding),
      version: versionOf(sealedCredential, secrets),
    };
  }

  /**
   * Returns the credential for an upstream server or agent in the form in which its document
   * carries it to a gateway. `secrets` are the parts that are in secret managers; without any, the
   * result is the stored text. `bindingOf` returns the sealing context for the kind of integration.
   */
  sealForUpstream(
    { id, organisationId, sealedAuth }: Pick<UpstreamIntegration, 'id' | 'organisationId' | 'sealedAuth'>,
    bindingOf: (organisationId: string, integrationId: string) => string,
    secrets: readonly SecretUse[],
  ): { readonly sealedAuth: string | null; readonly version: string } {
    const version = versionOf(sealedAuth, secrets);
    if (secrets.length === 0) return { sealedAuth, version };
    const binding = bindingOf(organisationId, id);
    const stored = sealedAuth === null ? {} : openJson<McpAuthContent>(this.keyring, sealedAuth, binding);
    const content: McpAuthContent = { ...stored, secrets };
    return { sealedAuth: seal(this.keyring, JSON.stringify(content), binding), version };
  }
}

/** Returns a version that changes with the stored text, the mappings and the references. */
function versionOf(sealed: string | null, secrets: readonly SecretUse[]): string {
  const digest = createHash('sha256').update(sealed ?? '');
  // Leaves out the credentials of the secret manager; when they change, the version of the
  // reference changes too.
  for (const { location, ...use } of secrets) {
    digest.update(JSON.stringify([use, location?.version ?? null, location?.key ?? null]));
  }
  return digest.digest('base64url').slice(0, 22);
}
