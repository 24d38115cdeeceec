import { isDeepStrictEqual } from 'node:util';
import type { McpAuthContent } from '@gw/contracts';
import type { UpstreamIntegration } from '@gw/entities';
import { seal, unseal, type AddressPolicy, type Keyring } from '@gw/kernel';
import { validationFailed } from '@gw/web';
import { Inject, Injectable } from '@nestjs/common';
import { Secrets } from '../../settings';
import type { Principal } from '../common/principal';
import { unmaskedHeaders } from '../credentials/header-map';
import { ADDRESS_POLICY } from '../credentials/integration-credentials';
import {
  assertMayAim,
  assertSecretsStay,
  movedAddresses,
  type BoundSecrets,
} from '../credentials/secrets-stay';
import {
  assertUpstreamAddresses,
  configurationFaultsOf,
  isFields,
  type ConfigurationRules,
} from './configuration-checks';
import { CLIENTS, withClientSecret } from './shown-configurations';

type Fields = Readonly<Record<string, unknown>>;

const MASK = '*****';

/** A kind of integration, such as those of MCP servers. */
export interface UpstreamKind {
  readonly rules: ConfigurationRules;
  /** Returns the context to which the secrets of an integration are sealed. */
  readonly binding: (organisationId: string, integrationId: string) => string;
}

export interface UpstreamCredentialInput {
  /** New members; absent keeps what is saved, null clears all. */
  readonly configurations?: Fields | null | undefined;
  readonly caller: Principal;
  /** The row before the request changed its address, authentication and mappings. */
  readonly before: Pick<UpstreamIntegration, 'url' | 'secretMappings'> | null;
  /**
   * Fields, in addition to the origin of the URL, that decide where secrets are sent, before and
   * after the request.
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
  ) {
    this.keyring = secrets.sealingKeyring;
  }

  /** Returns the secrets of an integration. */
  open(
    { binding }: UpstreamKind,
    { id, organisationId, sealedAuth }: Pick<CredentialRow, 'id' | 'organisationId' | 'sealedAuth'>,
  ): McpAuthContent {
    if (sealedAuth === null) return {};
    const plain = unseal(this.keyring, sealedAuth, binding(organisationId, id));
    return JSON.parse(plain.toString('utf8')) as McpAuthContent;
  }

  /**
   * Sets the columns of configurations and secrets without saving the row. Throws
   * `validation_failed` with all faults at once, `custom_host_refused`, and `scope_missing` for a
   * mapped secret that would go to another address.
   */
  apply(
    kind: UpstreamKind,
    row: CredentialRow,
    { configurations: input, caller, before, aims }: UpstreamCredentialInput,
  ): void {
    const { rules } = kind;
    const saved = savedConfigurations(row.configurations, this.open(kind, row));
    const values = withoutOtherAuthTypes(rules, mergedConfigurations(saved, input), row, input);
    const mapped = new Set((row.secretMappings ?? []).map(({ target_field }) => target_field));
    const faults = configurationFaultsOf(rules, values, { authType: row.authType, url: row.url, mapped });
    if (faults.length > 0) throw validationFailed(faults);
    assertUpstreamAddresses(row.url, values, this.policy);
    const next = bound(row.url, values, aims?.next);
    const kept = before && bound(before.url, saved, aims?.before);
    if (kept) assertSecretsStay(kept, next, givenIn(input));
    const isMappedAlike =
      kept !== null &&
      isDeepStrictEqual(before?.secretMappings, row.secretMappings) &&
      movedAddresses(kept.addresses, next.addresses).length === 0;
    // The caller chooses the address, so sending a mapped secret there needs the right to change
    // secret references.
    if (row.secretMappings !== null && !isMappedAlike) assertMayAim(caller, 'url');
    this.store(kind, row, values);
  }

  private store({ binding }: UpstreamKind, row: CredentialRow, values: Fields): void {
    const { headers, ...rest } = values as { readonly headers?: Readonly<Record<string, string>> };
    const open: Record<string, unknown> = { ...rest };
    let clientSecret: string | undefined;
    for (const name of CLIENTS) {
      const client = open[name];
      if (!isFields(client)) continue;
      const { client_secret: secret, ...shown } = client;
      open[name] = shown;
      if (typeof secret === 'string') clientSecret = secret;
    }
    const { forward_headers: forwarded } = open;
    if (Array.isArray(forwarded)) open['forward_headers'] = { mode: 'allowlist', headers: forwarded };
    const content: McpAuthContent = {
      ...(headers && Object.keys(headers).length > 0 ? { headers } : {}),
      ...(clientSecret === undefined ? {} : { clientSecret }),
    };
    row.configurations = open;
    row.maskedAuth = maskedContent(content);
    row.sealedAuth =
      Object.keys(content).length === 0
        ? null
        : seal(this.keyring, JSON.stringify(content), binding(row.organisationId, row.id));
  }
}

const maskedContent = ({ headers, clientSecret }: McpAuthContent): CredentialRow['maskedAuth'] => ({
  ...(headers ? { headers: Object.fromEntries(Object.keys(headers).map((name) => [name, MASK])) } : {}),
  ...(clientSecret === undefined ? {} : { client_secret: MASK }),
});

const savedConfigurations = (
  configurations: Fields,
  { headers, clientSecret }: McpAuthContent,
): Record<string, unknown> =>
  withClientSecret({ ...configurations, ...(headers ? { headers } : {}) }, clientSecret);

/**
 * Merges new members into the saved ones: an absent member stays, null clears it, and masked
 * secrets stay.
 */
function mergedConfigurations(saved: Fields, input: Fields | null | undefined): Record<string, unknown> {
  if (input === null) return {};
  const merged: Record<string, unknown> = { ...saved };
  for (const [given, value] of Object.entries(input ?? {})) {
    const name = given === 'custom_headers' && input?.['headers'] === undefined ? 'headers' : given;
    if (value === null) delete merged[name];
    else merged[name] = keptSecrets(name, value, saved[name]);
  }
  return merged;
}

function keptSecrets(name: string, value: unknown, saved: unknown): unknown {
  if (!isFields(value) || !isFields(saved)) return value;
  if (name === 'headers') return unmaskedHeaders(value as Record<string, string>, saved);
  if (!CLIENTS.some((each) => each === name)) return value;
  const { client_secret: secret, ...rest } = value;
  if (secret !== undefined && secret !== MASK) return value;
  return saved['client_secret'] === undefined ? rest : { ...rest, client_secret: saved['client_secret'] };
}

/**
 * Removes saved secrets of another authentication type. Those that the request contains are
 * reported as faults.
 */
function withoutOtherAuthTypes(
  { memberOf }: ConfigurationRules,
  values: Fields,
  { authType }: Pick<CredentialRow, 'authType'>,
  input: Fields | null | undefined,
): Fields {
  const ownMember = memberOf[authType];
  const givenNames = new Set(
    Object.keys(input ?? {}).map((name) => (name === 'custom_headers' ? 'headers' : name)),
  );
  return Object.fromEntries(
    Object.entries(values).filter(
      ([name]) => name === ownMember || givenNames.has(name) || !Object.values(memberOf).includes(name),
    ),
  );
}

const ENDPOINT = 'configurations.oauth_client_credentials.token_endpoint';

/**
 * Returns the secrets and the addresses that decide where the secrets are sent, by request path.
 */
function bound(url: string, values: Fields, aims: Fields = {}): BoundSecrets {
  const secrets: [string, unknown][] = [];
  const { headers, oauth_client_credentials: client } = values;
  if (isFields(headers))
    secrets.push(
      ...Object.entries(headers).map(
        ([name, value]) => [`configurations.headers.${name}`, value] as [string, unknown],
      ),
    );
  for (const name of CLIENTS) {
    const clientMembers = values[name];
    if (isFields(clientMembers))
      secrets.push([`configurations.${name}.client_secret`, clientMembers['client_secret']]);
  }
  return {
    addresses: {
      url: URL.canParse(url) ? new URL(url).origin : url,
      ...aims,
      ...(isFields(client) ? { [ENDPOINT]: client['token_endpoint'] } : {}),
    },
    secrets: Object.fromEntries(secrets.filter(([, value]) => value !== undefined && value !== null)),
  };
}

/** Returns the paths of the secrets that a request contains in clear text. */
function givenIn(input: Fields | null | undefined): ReadonlySet<string> {
  const { headers, custom_headers: alias, ...rest } = input ?? {};
  const given: [string, unknown][] = [headers, alias].flatMap((map) =>
    isFields(map)
      ? Object.entries(map).map(
          ([name, value]) => [`configurations.headers.${name}`, value] as [string, unknown],
        )
      : [],
  );
  for (const name of CLIENTS) {
    const client = (rest as Fields)[name];
    if (isFields(client)) given.push([`configurations.${name}.client_secret`, client['client_secret']]);
  }
  return new Set(
    given.filter(([, value]) => typeof value === 'string' && value !== MASK).map(([path]) => path),
  );
}
