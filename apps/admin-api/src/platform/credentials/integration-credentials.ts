import { isDeepStrictEqual } from 'node:util';
import { fieldOfInstallation, isKeyless, type CatalogueProvider } from '@gw/contracts';
import { catalogueProvider, retiredMessage } from '@gw/providers';
import type { IntegrationEntity } from '@gw/entities';
import { type AddressPolicy, type ErrorDetail, isVisibleAscii } from '@gw/kernel';
import { invalid, validationFailed } from '@gw/web';
import { Inject, Injectable } from '@nestjs/common';
import { SETTINGS, type AdminSettings } from '../../settings';
import type { Principal } from '../common/principal';
import {
  assertAllowedAddresses,
  boundSecrets,
  chosenDestinations,
  configurationFaults,
  givenSecrets,
  mergeConfigurations,
  splitConfigurations,
  type PathOf,
} from './configurations';
import { CredentialsService, type PlainCredential } from './credentials.service';
import { maskHeaders } from './header-map';
import { maskSecret, shortenedFault } from './shown-secret';
import { assertMayAim, assertSecretsStay, movedAddresses, type BoundSecrets } from './secrets-stay';
import { assertSentAgain, openedOr, UNREADABLE, unreadable, unreadablePaths } from './unreadable-secrets';

export const ADDRESS_POLICY = Symbol('ADDRESS_POLICY');

export interface CredentialInput {
  /** New key; absent keeps the saved key and null removes it. */
  readonly key?: string | null | undefined;
  /** Fields to merge into the saved ones; null clears all. */
  readonly configurations?: Readonly<Record<string, unknown>> | null | undefined;
  /** Caller who sends the request; absent during the set-up of the installation. */
  readonly caller?: Principal;
  /** True when the request replaces the row's secret mappings. */
  readonly mapsAnew?: boolean;
  /**
   * Paths of addresses in other rows that also receive this row's secrets, such as hosts of models.
   */
  readonly alsoAimed?: readonly string[];
  /** Secrets of other rows that are sent to this row's address, by path. */
  readonly alsoBound?: Readonly<Record<string, unknown>>;
}

/** The columns that `apply` reads and sets. */
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

/**
 * Returns the provider of an id or an alias from the catalogue. Throws 400 naming `param` for an
 * unknown or retired provider.
 */
export function providerOfCatalogue(id: string, param: string): CatalogueProvider {
  const provider = catalogueProvider(id);
  if (!provider) throw invalid(param, retiredMessage(id) ?? 'is not a provider of the catalogue');
  return provider;
}

/**
 * Checks the key and the provider fields of an integration against the catalogue, and seals the
 * secrets.
 */
@Injectable()
export class IntegrationCredentials {
  constructor(
    private readonly credentials: CredentialsService,
    @Inject(ADDRESS_POLICY) private readonly addresses: AddressPolicy,
    @Inject(SETTINGS) private readonly settings: Pick<AdminSettings, 'ALLOW_AMBIENT_CLOUD_CREDENTIALS'>,
  ) {}

  /**
   * Sets the credential columns of the row without saving it. `pathOf` returns the path of a
   * provider field in the request. Throws `validation_failed` with all faults at once, or
   * `custom_host_refused`. Secrets that cannot be opened stay as they are unless the request
   * changes a secret; it must then contain all of them.
   */
  apply(row: CredentialRow, input: CredentialInput, pathOf: PathOf = FIELD_PATH): void {
    const provider = providerOfCatalogue(row.aiProviderId, 'ai_provider_id');
    const plain = this.readable(row);
    const apiKey = (input.key === undefined ? plain.apiKey : input.key) ?? undefined;
    const saved = { open: row.configurations, secret: plain.configurations };
    const values = mergeConfigurations(provider, saved, input.configurations);
    const mapped = new Set((row.secretMappings ?? []).map(({ target_field }) => target_field));
    const next = splitConfigurations(provider, values);
    const after = boundSecrets(provider, next, apiKey, pathOf);
    const lost = unreadablePaths(after.secrets);
    const faults = [
      ...configurationFaults(provider, values, pathOf, mapped),
      ...keyFaults(apiKey, !mapped.has('key') && needsKey(provider, values)),
      ...this.identityFaults(provider, values, pathOf),
    ].filter(({ path }) => !lost.has(path));
    if (faults.length > 0) throw validationFailed(faults);
    assertAllowedAddresses(provider, values, this.addresses, pathOf);
    const givenPaths = givenIn(input, pathOf);
    const before = boundSecrets(provider, saved, plain.apiKey, pathOf);
    assertSecretsStay(withOthers(before, input), withOthers(after, input), givenPaths);
    if (mapped.size > 0) {
      const chosen = [...chosenDestinations(provider, values, pathOf), ...(input.alsoAimed ?? [])];
      assertMappedStay(input, chosen, movedAddresses(before.addresses, after.addresses));
    }
    const isKept = lost.size > 0 && isDeepStrictEqual(before.secrets, after.secrets);
    if (isKept) row.configurations = { ...next.open };
    else {
      assertSentAgain(lost);
      this.store(row, apiKey, next);
    }
  }

  /** Returns the secrets of a row, by their paths in a request for an integration. */
  secretsOf(row: CredentialRow): Readonly<Record<string, unknown>> {
    const provider = providerOfCatalogue(row.aiProviderId, 'ai_provider_id');
    const { apiKey, configurations } = this.readable(row);
    return boundSecrets(provider, { open: row.configurations, secret: configurations }, apiKey, FIELD_PATH)
      .secrets;
  }

  /** Returns the credential, with `UNREADABLE` in place of its secrets if it cannot be opened. */
  private readable(row: CredentialRow): PlainCredential {
    return openedOr(
      () => this.credentials.open(row),
      () => ({
        ...(row.maskedKey === null ? {} : { apiKey: UNREADABLE }),
        configurations: unreadable(row.maskedConfigurations),
      }),
    );
  }

  private identityFaults(
    provider: CatalogueProvider,
    values: Readonly<Record<string, unknown>>,
    pathOf: PathOf,
  ): ErrorDetail[] {
    const fieldName = fieldOfInstallation(provider, values);
    const isRefused = fieldName !== null && !this.settings.ALLOW_AMBIENT_CLOUD_CREDENTIALS;
    return isRefused ? [{ path: pathOf(fieldName), message: OWN_REFUSED }] : [];
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

const OWN_REFUSED =
  'uses the identity of the installation, which the operator must allow with ALLOW_AMBIENT_CLOUD_CREDENTIALS';

const FIELD_PATH: PathOf = (field) => `configurations.${field}`;

/** Returns the paths of the secrets that a request contains in clear text. */
export const givenIn = (
  { key, configurations }: Pick<CredentialInput, 'key' | 'configurations'>,
  pathOf: PathOf = FIELD_PATH,
): ReadonlySet<string> =>
  new Set([...(typeof key === 'string' ? ['key'] : []), ...givenSecrets(configurations, pathOf)]);

const withOthers = ({ addresses, secrets }: BoundSecrets, { alsoBound }: CredentialInput): BoundSecrets => ({
  addresses,
  secrets: { ...secrets, ...alsoBound },
});

/**
 * Throws `scope_missing` for a caller without `secret_references.update` that would send a mapped
 * secret to another address. When the request sets the mappings, no destination of the caller's
 * choice may be set (`chosen`), saved or not, since a caller can map a secret without knowing it.
 * When the saved mappings stay, no address may change (`moved`).
 */
function assertMappedStay(
  { caller, mapsAnew }: CredentialInput,
  chosen: readonly string[],
  moved: readonly string[],
): void {
  const [path] = mapsAnew === true ? chosen : moved;
  if (caller !== undefined && path !== undefined) assertMayAim(caller, path);
}

/** Masks a string or a map of headers; earlier checks ensure that it is one of them. */
const masked = (value: unknown): string | Record<string, string> =>
  typeof value === 'string' ? maskSecret(value) : maskHeaders(value as Record<string, string>);

function keyFaults(key: string | undefined, isNeeded: boolean): ErrorDetail[] {
  if (key === undefined) return isNeeded ? [{ path: 'key', message: 'is required' }] : [];
  const message = shortenedFault(key) ?? (isVisibleAscii(key) ? null : INVALID_KEY);
  return message === null ? [] : [{ path: 'key', message }];
}

const INVALID_KEY = 'must be visible ASCII characters without spaces or control characters';

/**
 * Whether the integration needs a key. A privately hosted endpoint and an integration with another
 * kind of credential need none.
 */
const needsKey = (provider: CatalogueProvider, values: Readonly<Record<string, unknown>>): boolean =>
  provider.needsKey && values['custom_host'] === undefined && !isKeyless(provider, values);
