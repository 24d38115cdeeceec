import { credentialBinding, type ProviderCredentialContent, type SecretUse } from '@gw/contracts';
import { integrationBinding, type IntegrationEntity, type ProviderEntity } from '@gw/entities';
import { seal, unseal, type Keyring } from '@gw/kernel';
import { Injectable } from '@nestjs/common';
import { createHash } from 'node:crypto';
import { Secrets } from '../../settings';

/** The secret part of an integration: its key and the provider fields that are secrets. */
export interface PlainCredential {
  readonly apiKey?: string;
  readonly configurations: Readonly<Record<string, unknown>>;
}

export interface ProviderCredential {
  /** `seal()` of a `PlainCredential`, bound to the provider; null when there is nothing secret. */
  readonly sealedCredential: string | null;
  /** Changes when the credential was written again, and only then, although every sealing gives another text. */
  readonly version: string;
}

type Owner = Pick<IntegrationEntity, 'id' | 'organisationId'>;

/** The only place of the control plane that sees a provider credential in the clear. */
@Injectable()
export class CredentialsService {
  private readonly keyring: Keyring;

  constructor(secrets: Secrets) {
    this.keyring = secrets.sealingKeyring;
  }

  /** How an integration's credential rests. Null when there is nothing secret. */
  seal(owner: Owner, credential: PlainCredential): string | null {
    const empty = credential.apiKey === undefined && Object.keys(credential.configurations).length === 0;
    return empty ? null : seal(this.keyring, JSON.stringify(credential), integrationBinding(owner));
  }

  /** Throws when the sealed text was made for another integration or with a key that is gone. */
  open(integration: Owner & Pick<IntegrationEntity, 'sealedCredential'>): PlainCredential {
    const { sealedCredential } = integration;
    if (sealedCredential === null) return { configurations: {} };
    const plain = unseal(this.keyring, sealedCredential, integrationBinding(integration));
    return JSON.parse(plain.toString('utf8')) as PlainCredential;
  }

  /** The integration's credential as the provider's document carries it to a gateway. `secrets`: those that rest elsewhere. */
  sealForProvider(
    integration: Owner & Pick<IntegrationEntity, 'sealedCredential'>,
    provider: Pick<ProviderEntity, 'id' | 'workspaceId'>,
    secrets: readonly SecretUse[] = [],
  ): ProviderCredential {
    const { sealedCredential } = integration;
    if (sealedCredential === null && secrets.length === 0) return { sealedCredential: null, version: 'none' };
    const digest = createHash('sha256').update(sealedCredential ?? '');
    // Without what opens the manager: it changes with the version of its reference.
    for (const { location, ...use } of secrets) {
      digest.update(JSON.stringify([use, location?.version ?? null, location?.key ?? null]));
    }
    const content: ProviderCredentialContent = {
      ...this.open(integration),
      ...(secrets.length === 0 ? {} : { secrets }),
    };
    const binding = credentialBinding(provider.workspaceId, provider.id);
    return {
      sealedCredential: seal(this.keyring, JSON.stringify(content), binding),
      version: digest.digest('base64url').slice(0, 22),
    };
  }
}
