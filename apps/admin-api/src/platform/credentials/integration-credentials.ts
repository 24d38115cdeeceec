import type { CatalogueProvider } from '@gw/contracts';
import { catalogueProvider } from '@gw/providers';
import type { IntegrationEntity } from '@gw/entities';
import type { AddressPolicy } from '@gw/kernel';
import { invalid, validationFailed } from '@gw/web';
import { Inject, Injectable } from '@nestjs/common';
import type { Principal } from '../common/principal';
import {
  assertAllowedAddresses,
  boundSecrets,
  configurationFaults,
  givenSecrets,
  mergeConfigurations,
  splitConfigurations,
  type PathOf,
} from './configurations';
import { CredentialsService } from './credentials.service';
import { maskHeaders } from './header-map';
import { maskSecret, shortenedFault } from './shown-secret';
import { assertMayAim, assertSecretsStay, movedAddresses, type BoundSecrets } from './secrets-stay';

export const ADDRESS_POLICY = Symbol('ADDRESS_POLICY');

export interface CredentialInput {
  /** Absent: as saved. Null: none. */
  readonly key?: string | null | undefined;
  /** Laid over what is saved; null clears all. */
  readonly configurations?: Readonly<Record<string, unknown>> | null | undefined;
  /** Who writes; absent: the installation itself. */
  readonly caller?: Principal;
  /** True: the row's mappings are new. */
  readonly mapsAnew?: boolean;
  /** Secrets of others that are sent to the address of this row, by their paths. */
  readonly alsoBound?: Readonly<Record<string, unknown>>;
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
  apply(row: CredentialRow, input: CredentialInput, pathOf: PathOf = FIELD_PATH): void {
    const provider = providerOfCatalogue(row.aiProviderId, 'ai_provider_id');
    const plain = this.credentials.open(row);
    const apiKey = (input.key === undefined ? plain.apiKey : input.key) ?? undefined;
    const saved = { open: row.configurations, secret: plain.configurations };
    const values = mergeConfigurations(provider, saved, input.configurations);
    const mapped = new Set((row.secretMappings ?? []).map(({ target_field }) => target_field));
    const faults = configurationFaults(provider, values, pathOf, mapped);
    if (apiKey === undefined && !mapped.has('key') && needsKey(provider, values))
      faults.push({ path: 'key', message: 'is required' });
    const keyFault = apiKey === undefined ? null : faultOfKey(apiKey);
    if (keyFault !== null) faults.push({ path: 'key', message: keyFault });
    if (faults.length > 0) throw validationFailed(faults);
    assertAllowedAddresses(provider, values, this.addresses, pathOf);
    const next = splitConfigurations(provider, values);
    const given = givenIn(input, pathOf);
    const before = boundSecrets(provider, saved, plain.apiKey, pathOf);
    const after = boundSecrets(provider, next, apiKey, pathOf);
    assertSecretsStay(withOthers(before, input), withOthers(after, input), given);
    if (mapped.size > 0) assertMappedStay(input, before, after, pathOf('custom_host'));
    this.store(row, apiKey, next);
  }

  /** The secrets of a row by the paths of a request for integrations. */
  secretsOf(row: CredentialRow): Readonly<Record<string, unknown>> {
    const provider = providerOfCatalogue(row.aiProviderId, 'ai_provider_id');
    const { apiKey, configurations } = this.credentials.open(row);
    return boundSecrets(provider, { open: row.configurations, secret: configurations }, apiKey, FIELD_PATH)
      .secrets;
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

const FIELD_PATH: PathOf = (field) => `configurations.${field}`;

/** The paths of the secrets that a request gives in the clear. */
export const givenIn = (
  { key, configurations }: Pick<CredentialInput, 'key' | 'configurations'>,
  pathOf: PathOf = FIELD_PATH,
): ReadonlySet<string> =>
  new Set([...(typeof key === 'string' ? ['key'] : []), ...givenSecrets(configurations, pathOf)]);

const withOthers = ({ addresses, secrets }: BoundSecrets, { alsoBound }: CredentialInput): BoundSecrets => ({
  addresses,
  secrets: { ...secrets, ...alsoBound },
});

/** New mappings may stand next to any address but one of the caller's choice; saved ones keep theirs. */
function assertMappedStay(
  { caller, mapsAnew }: CredentialInput,
  before: BoundSecrets,
  after: BoundSecrets,
  hostPath: string,
): void {
  if (caller === undefined) return;
  const moved = movedAddresses(before.addresses, after.addresses);
  const isAimed = mapsAnew === true && after.addresses[hostPath] !== undefined;
  const path = isAimed ? hostPath : mapsAnew === true ? undefined : moved[0];
  if (path !== undefined) assertMayAim(caller, path);
}

/** The value is a text or a map of headers: the checks before have seen to that. */
const masked = (value: unknown): string | Record<string, string> =>
  typeof value === 'string' ? maskSecret(value) : maskHeaders(value as Record<string, string>);

/** A key is sent in a header as it is. */
const KEY = /^[\x21-\x7e]+$/;

const faultOfKey = (key: string): string | null =>
  shortenedFault(key) ??
  (KEY.test(key) ? null : 'must be visible ASCII characters, without spaces and control characters');

/** A privately hosted endpoint or an Azure account with another way to sign in may need no key. */
function needsKey(provider: CatalogueProvider, values: Readonly<Record<string, unknown>>): boolean {
  const mode = values['azure_auth_mode'];
  return provider.needsKey && values['custom_host'] === undefined && (mode ?? 'default') === 'default';
}
