import { isDeepStrictEqual } from 'node:util';
import { CLIENT_SECRET_CONTENT, type ClientSecret, type McpAuthContent } from '@gw/contracts';
import type { UpstreamIntegration } from '@gw/entities';
import { assertAllowedUrl, isObject, seal, VendorError, type AddressPolicy, type Keyring } from '@gw/kernel';
import { validationFailed } from '@gw/web';
import { Inject, Injectable } from '@nestjs/common';
import { Secrets, SETTINGS, type AdminSettings } from '../../settings';
import type { Principal } from '../common/principal';
import { ADDRESS_POLICY } from '../credentials/integration-credentials';
import {
  assertMayAim,
  assertSecretsStay,
  movedAddresses,
  type BoundSecrets,
} from '../credentials/secrets-stay';
import {
  assertSentAgain,
  openedOr,
  openJson,
  UNREADABLE,
  UNREADABLE_MESSAGE,
  unreadableHeaders,
  unreadablePaths,
} from '../credentials/unreadable-secrets';
import type { CheckedIntegration, Fields } from './configuration-faults';
import { configurationFaultsOf } from './configuration-rules';
import {
  givenSecrets,
  maskedContent,
  secretsByPath,
  separatedSecrets,
  withSecrets,
} from './configuration-secrets';
import { mergedConfigurations, type ConfigurationInput } from './merged-configurations';
import type { UpstreamKind } from './upstream-kind';

export interface UpstreamCredentialInput {
  readonly configurations?: ConfigurationInput;
  readonly caller: Principal;
  /** The row before the request changed its address, authentication and mappings. */
  readonly before: Pick<UpstreamIntegration, 'url' | 'secretMappings'> | null;
  /**
   * Fields, in addition to the URL and the addresses of clients, that decide where secrets are
   * sent, before and after the request.
   */
  readonly aims?: { readonly before: Fields; readonly next: Fields };
}

export type CredentialRow = Pick<
  UpstreamIntegration,
  | 'id'
  | 'organisationId'
  | 'url'
  | 'authType'
  | 'configurations'
  | 'sealedAuth'
  | 'maskedAuth'
  | 'secretMappings'
>;

/**
 * Checks the configurations of integrations of MCP servers and agents, seals their secrets and
 * opens them.
 */
@Injectable()
export class UpstreamCredentials {
  private readonly keyring: Keyring;

  constructor(
    secrets: Secrets,
    @Inject(ADDRESS_POLICY) private readonly policy: AddressPolicy,
    @Inject(SETTINGS) private readonly settings: Pick<AdminSettings, 'PUBLIC_URL'>,
  ) {
    this.keyring = secrets.sealingKeyring;
  }

  /**
   * Returns the secrets of an integration. Throws `VendorError` when they cannot be opened, since
   * the upstream then cannot be called.
   */
  open(
    { binding }: Pick<UpstreamKind, 'binding'>,
    { id, organisationId, sealedAuth }: Pick<CredentialRow, 'id' | 'organisationId' | 'sealedAuth'>,
  ): McpAuthContent {
    if (sealedAuth === null) return {};
    try {
      return openJson(this.keyring, sealedAuth, binding(organisationId, id));
    } catch (cause) {
      throw new VendorError('refused', UNREADABLE_MESSAGE, { cause });
    }
  }

  /** Returns the secrets as `open` does, with `UNREADABLE` in their place if that fails. */
  private readable(kind: UpstreamKind, row: CredentialRow): McpAuthContent {
    return openedOr(
      () => this.open(kind, row),
      () => unreadableContent(row.maskedAuth),
    );
  }

  /**
   * Sets the columns of configurations and secrets without saving the row. Throws
   * `validation_failed` with all faults at once, `custom_host_refused`, and `scope_missing` for a
   * mapped secret that would go to another address. Secrets that cannot be opened stay as they are
   * unless the request changes a secret; it must then contain all of them.
   */
  apply(kind: UpstreamKind, row: CredentialRow, input: UpstreamCredentialInput): void {
    const before = this.readable(kind, row);
    const saved = withSecrets(kind.clients, row.configurations, before);
    const values = mergedConfigurations(kind, saved, input.configurations, row.authType);
    const lost = unreadablePaths(secretsByPath(kind.clients, values));
    const faults = configurationFaultsOf(kind.rules, values, this.checked(row, values)).filter(
      ({ path }) => !lost.has(path),
    );
    if (faults.length > 0) throw validationFailed(faults);
    this.assertAddresses(kind, row.url, values);
    assertBound(kind, row, input, { saved, values });
    this.store(kind, row, values, before);
  }

  private checked({ authType, url, secretMappings }: CredentialRow, values: Fields): CheckedIntegration {
    const mapped = new Set((secretMappings ?? []).map(({ target_field }) => target_field));
    return {
      ...{ authType, url, mapped, hasIssuer: this.settings.PUBLIC_URL !== null },
      sendsAuthorization: mapped.has('headers.authorization') || hasAuthorization(values['headers']),
    };
  }

  /** Throws `custom_host_refused` with the path of the first address that the policy refuses. */
  private assertAddresses({ clientAddresses }: UpstreamKind, url: string, values: Fields): void {
    assertAllowedUrl(this.policy, url, 'url');
    for (const [path, address] of Object.entries(clientAddresses(values)))
      if (address !== undefined && address !== null) assertAllowedUrl(this.policy, address, path);
  }

  private store(
    { clients, binding }: UpstreamKind,
    row: CredentialRow,
    values: Fields,
    before: McpAuthContent,
  ): void {
    const { open, content } = separatedSecrets(clients, values);
    const { forward_headers: forwarded } = open;
    if (Array.isArray(forwarded)) open['forward_headers'] = { mode: 'allowlist', headers: forwarded };
    row.configurations = open;
    row.maskedAuth = maskedContent(content);
    // Secrets that stay are not sealed again: a new text would look like a new credential.
    if (isDeepStrictEqual(before, content)) return;
    assertSentAgain(unreadablePaths(secretsByPath(clients, values)));
    row.sealedAuth =
      Object.keys(content).length === 0
        ? null
        : seal(this.keyring, JSON.stringify(content), binding(row.organisationId, row.id));
  }
}

/** Returns the content that these masks hide, with `UNREADABLE` in place of its secrets. */
function unreadableContent({ headers, ...clients }: CredentialRow['maskedAuth']): McpAuthContent {
  const names = Object.keys(clients) as ClientSecret[];
  return {
    ...(typeof headers === 'object' ? { headers: unreadableHeaders(headers) as Record<string, string> } : {}),
    ...Object.fromEntries(names.map((name) => [CLIENT_SECRET_CONTENT[name], UNREADABLE])),
  };
}

const hasAuthorization = (headers: unknown): boolean =>
  isObject(headers) && Object.keys(headers).some((name) => name.toLowerCase() === 'authorization');

/**
 * Throws `validation_failed` when a saved secret, and `scope_missing` when a mapped one, would be
 * sent to an address for which the caller did not choose it.
 */
function assertBound(
  kind: UpstreamKind,
  { url, secretMappings }: CredentialRow,
  { configurations: input, caller, before, aims }: UpstreamCredentialInput,
  { saved, values }: { readonly saved: Fields; readonly values: Fields },
): void {
  const isPathBound = [saved, values].some(kind.isPathBound);
  const next = bound(kind, isPathBound ? url : originOf(url), values, aims?.next);
  const kept = before && bound(kind, isPathBound ? before.url : originOf(before.url), saved, aims?.before);
  if (kept) assertSecretsStay(kept, next, givenSecrets(kind.clients, input));
  const isMappedAlike =
    kept !== null &&
    isDeepStrictEqual(before?.secretMappings, secretMappings) &&
    movedAddresses(kept.addresses, next.addresses).length === 0;
  // The caller chooses the address, so sending a mapped secret there needs the right to change
  // secret references.
  if (secretMappings !== null && !isMappedAlike) assertMayAim(caller, 'url');
}

const originOf = (url: string): string => (URL.canParse(url) ? new URL(url).origin : url);

/**
 * Returns the secrets and the addresses that decide where the secrets are sent, by request path.
 */
const bound = (
  { clients, clientAddresses }: UpstreamKind,
  url: string,
  values: Fields,
  aims: Fields = {},
): BoundSecrets => ({
  addresses: { url, ...aims, ...clientAddresses(values) },
  secrets: secretsByPath(clients, values),
});
