import { catalogueProvider, type CatalogueProvider } from '@gw/contracts';
import type { IntegrationEntity } from '@gw/entities';
import type { AddressPolicy } from '@gw/kernel';
import { invalid, validationFailed } from '@gw/web';
import { Inject, Injectable } from '@nestjs/common';
import {
  assertAllowedAddresses,
  configurationFaults,
  mergeConfigurations,
  splitConfigurations,
  type PathOf,
} from './configurations';
import { CredentialsService } from './credentials.service';
import { maskHeaders } from './header-map';
import { maskSecret } from './mask';

export const ADDRESS_POLICY = Symbol('ADDRESS_POLICY');

export interface CredentialInput {
  /** Absent: as saved. Null: none. */
  readonly key?: string | null | undefined;
  /** Laid over what is saved; null clears all. */
  readonly configurations?: Readonly<Record<string, unknown>> | null | undefined;
}

/** The columns that `apply` sets, and those that it reads. */
export type CredentialRow = Pick<
  IntegrationEntity,
  | 'id'
  | 'organisationId'
  | 'aiProviderId'
  | 'sealedCredential'
  | 'maskedKey'
  | 'configurations'
  | 'maskedConfigurations'
  | 'secretMappings'
>;

/** The provider of the catalogue, or a 400 that names `param`. */
export function providerOfCatalogue(id: string, param: string): CatalogueProvider {
  const provider = catalogueProvider(id);
  if (!provider) throw invalid(param, 'names no provider of the catalogue');
  return provider;
}

/** Checks the key and the provider fields of an integration against the catalogue, and seals what is secret. */
@Injectable()
export class IntegrationCredentials {
  constructor(
    private readonly credentials: CredentialsService,
    @Inject(ADDRESS_POLICY) private readonly addresses: AddressPolicy,
  ) {}

  /**
   * Changes the row's credential columns; the caller saves it. Throws `validation_failed` with all faults at once, or
   * `custom_host_refused`. `pathOf` names a provider field as the request has it.
   */
  apply(
    row: CredentialRow,
    input: CredentialInput,
    pathOf: PathOf = (field) => `configurations.${field}`,
  ): void {
    const provider = providerOfCatalogue(row.aiProviderId, 'ai_provider_id');
    const plain = this.credentials.open(row);
    const apiKey = (input.key === undefined ? plain.apiKey : input.key) ?? undefined;
    const saved = { open: row.configurations, secret: plain.configurations };
    const values = mergeConfigurations(provider, saved, input.configurations);
    const mapped = new Set((row.secretMappings ?? []).map(({ target_field }) => target_field));
    const faults = configurationFaults(provider, values, pathOf, mapped);
    if (apiKey === undefined && !mapped.has('key') && needsKey(provider, values))
      faults.push({ path: 'key', message: 'is required' });
    if (apiKey !== undefined && !KEY.test(apiKey)) {
      faults.push({ path: 'key', message: 'must have no spaces or control characters' });
    }
    if (faults.length > 0) throw validationFailed(faults);
    assertAllowedAddresses(provider, values, this.addresses, pathOf);
    this.store(row, apiKey, splitConfigurations(provider, values));
  }

  private store(
    row: CredentialRow,
    apiKey: string | undefined,
    { open, secret }: ReturnType<typeof splitConfigurations>,
  ): void {
    row.configurations = { ...open };
    row.maskedConfigurations = Object.fromEntries(
      Object.entries(secret).map(([name, value]) => [name, masked(value)]),
    );
    row.maskedKey = apiKey === undefined ? null : maskSecret(apiKey);
    row.sealedCredential = this.credentials.seal(row, {
      ...(apiKey === undefined ? {} : { apiKey }),
      configurations: secret,
    });
  }
}

/** The value is a text or a map of headers: the checks before have seen to that. */
const masked = (value: unknown): string | Record<string, string> =>
  typeof value === 'string' ? maskSecret(value) : maskHeaders(value as Record<string, string>);

/** A key is sent in a header as it is. */
const KEY = /^[\x21-\x7e]+$/;

/** A privately hosted endpoint or an Azure account with another way to sign in may need no key. */
function needsKey(provider: CatalogueProvider, values: Readonly<Record<string, unknown>>): boolean {
  const mode = values['azure_auth_mode'];
  return provider.needsKey && values['custom_host'] === undefined && (mode ?? 'default') === 'default';
}
