import { isDeepStrictEqual } from 'node:util';
import { CLIENT_SECRET_CONTENT, mcpAuthBinding, type ClientSecret, type McpAuthContent } from '@gw/contracts';
import type { McpIntegrationEntity } from '@gw/entities';
import { seal, unseal, type AddressPolicy, type Keyring } from '@gw/kernel';
import { validationFailed } from '@gw/web';
import { Inject, Injectable } from '@nestjs/common';
import { Secrets, SETTINGS, type AdminSettings } from '../../settings';
import type { Principal } from '../../platform/common/principal';
import { unmaskedHeaders } from '../../platform/credentials/header-map';
import { ADDRESS_POLICY } from '../../platform/credentials/integration-credentials';
import {
  clientSecretsOf,
  mcpClients,
  withClientSecrets,
} from '../../platform/credentials/mcp-shown-configurations';
import {
  assertMayAim,
  assertSecretsStay,
  movedAddresses,
  type BoundSecrets,
} from '../../platform/credentials/secrets-stay';
import { isFields } from './configuration-faults';
import { assertMcpAddresses, clientAddresses, configurationFaultsOf, MEMBER_OF } from './mcp-configurations';

type Fields = Readonly<Record<string, unknown>>;

const MASK = '*****';

export interface McpCredentialInput {
  /** New members; absent keeps what is saved, null clears all. */
  readonly configurations?: Fields | null | undefined;
  readonly caller: Principal;
  /** The row before the request changed its address, authentication and mappings. */
  readonly before: Pick<McpIntegrationEntity, 'url' | 'secretMappings'> | null;
}

type Row = Pick<
  McpIntegrationEntity,
  | 'id'
  | 'organisationId'
  | 'url'
  | 'authType'
  | 'configurations'
  | 'sealedAuth'
  | 'maskedAuth'
  | 'secretMappings'
>;

/** Checks the configurations of MCP integrations, seals their secrets and opens them. */
@Injectable()
export class McpCredentials {
  private readonly keyring: Keyring;

  constructor(
    secrets: Secrets,
    @Inject(ADDRESS_POLICY) private readonly policy: AddressPolicy,
    @Inject(SETTINGS) private readonly settings: Pick<AdminSettings, 'PUBLIC_URL'>,
  ) {
    this.keyring = secrets.sealingKeyring;
  }

  /** Returns the secrets of an integration. */
  open({
    id,
    organisationId,
    sealedAuth,
  }: Pick<Row, 'id' | 'organisationId' | 'sealedAuth'>): McpAuthContent {
    if (sealedAuth === null) return {};
    const plain = unseal(this.keyring, sealedAuth, mcpAuthBinding(organisationId, id));
    return JSON.parse(plain.toString('utf8')) as McpAuthContent;
  }

  /**
   * Sets the columns of configurations and secrets without saving the row. Throws
   * `validation_failed` with all faults at once, `custom_host_refused`, and `scope_missing` for a
   * mapped secret that would go to another address.
   */
  apply(row: Row, { configurations: input, caller, before }: McpCredentialInput): void {
    const saved = savedConfigurations(row.configurations, this.open(row));
    const values = withoutOtherAuthTypes(mergedConfigurations(saved, input), row, input);
    const mapped = new Set((row.secretMappings ?? []).map(({ target_field }) => target_field));
    const faults = configurationFaultsOf(values, {
      ...{ authType: row.authType, url: row.url, mapped, hasIssuer: this.settings.PUBLIC_URL !== null },
      sendsAuthorization: mapped.has('headers.authorization') || hasAuthorization(values['headers']),
    });
    if (faults.length > 0) throw validationFailed(faults);
    assertMcpAddresses(row.url, values, this.policy);
    const isPathBound = [saved, values].some(isIssuerOpen);
    const next = bound(row.url, values, isPathBound);
    const kept = before && bound(before.url, saved, isPathBound);
    if (kept) assertSecretsStay(kept, next, givenIn(input));
    const isMappedAlike =
      kept !== null &&
      isDeepStrictEqual(before?.secretMappings, row.secretMappings) &&
      movedAddresses(kept.addresses, next.addresses).length === 0;
    // The caller chooses the address, so sending a mapped secret there needs the right to change
    // secret references.
    if (row.secretMappings !== null && !isMappedAlike) assertMayAim(caller, 'url');
    this.store(row, values);
  }

  private store(row: Row, values: Fields): void {
    const { headers, ...rest } = values as { readonly headers?: Readonly<Record<string, string>> };
    const open: Record<string, unknown> = { ...rest };
    const secrets: Record<string, string> = {};
    for (const [name, members] of mcpClients()) {
      const client = open[name];
      if (!isFields(client)) continue;
      const shown = { ...client };
      for (const member of members) {
        const secret = client[member];
        if (typeof secret === 'string') secrets[CLIENT_SECRET_CONTENT[member]] = secret;
        delete shown[member];
      }
      open[name] = shown;
    }
    const { forward_headers: forwarded } = open;
    if (Array.isArray(forwarded)) open['forward_headers'] = { mode: 'allowlist', headers: forwarded };
    const content: McpAuthContent = {
      ...(headers && Object.keys(headers).length > 0 ? { headers } : {}),
      ...secrets,
    };
    row.configurations = open;
    row.maskedAuth = maskedContent(content);
    row.sealedAuth =
      Object.keys(content).length === 0
        ? null
        : seal(this.keyring, JSON.stringify(content), mcpAuthBinding(row.organisationId, row.id));
  }
}

/**
 * Whether the MCP server itself names the authorization server that receives the client secret.
 * Each path of a host may name another one.
 */
const isIssuerOpen = ({ oauth_metadata: client }: Fields): boolean =>
  isFields(client) && (client['issuer'] ?? null) === null;

const hasAuthorization = (headers: unknown): boolean =>
  isFields(headers) && Object.keys(headers).some((name) => name.toLowerCase() === 'authorization');

function maskedContent(content: McpAuthContent): Row['maskedAuth'] {
  const { headers } = content;
  const masks = (names: readonly string[]): Record<string, string> =>
    Object.fromEntries(names.map((name) => [name, MASK]));
  return {
    ...(headers ? { headers: masks(Object.keys(headers)) } : {}),
    ...masks(Object.keys(clientSecretsOf(content))),
  };
}

const savedConfigurations = (configurations: Fields, content: McpAuthContent): Record<string, unknown> =>
  withClientSecrets(
    { ...configurations, ...(content.headers ? { headers: content.headers } : {}) },
    clientSecretsOf(content),
  );

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
  const kept: Record<string, unknown> = { ...value };
  for (const member of secretsOf(name)) {
    if (kept[member] !== undefined && kept[member] !== MASK) continue;
    if (saved[member] === undefined) delete kept[member];
    else kept[member] = saved[member];
  }
  return kept;
}

const secretsOf = (name: string): readonly ClientSecret[] =>
  mcpClients().find(([client]) => client === name)?.[1] ?? [];

/**
 * Removes saved secrets of another authentication type. Those that the request contains are
 * reported as faults.
 */
function withoutOtherAuthTypes(
  values: Fields,
  { authType }: Pick<Row, 'authType'>,
  input: Fields | null | undefined,
): Fields {
  const ownMember = MEMBER_OF[authType];
  const givenNames = new Set(
    Object.keys(input ?? {}).map((name) => (name === 'custom_headers' ? 'headers' : name)),
  );
  return Object.fromEntries(
    Object.entries(values).filter(
      ([name]) => name === ownMember || givenNames.has(name) || !Object.values(MEMBER_OF).includes(name),
    ),
  );
}

/**
 * Returns the secrets and the addresses that decide where the secrets are sent, by request path.
 */
function bound(url: string, values: Fields, isPathBound: boolean): BoundSecrets {
  const secrets: [string, unknown][] = [];
  const { headers } = values;
  if (isFields(headers))
    secrets.push(
      ...Object.entries(headers).map(
        ([name, value]) => [`configurations.headers.${name}`, value] as [string, unknown],
      ),
    );
  secrets.push(...clientSecretsIn(values));
  return {
    addresses: {
      url: !isPathBound && URL.canParse(url) ? new URL(url).origin : url,
      ...clientAddresses(values),
    },
    secrets: Object.fromEntries(secrets.filter(([, value]) => value !== undefined && value !== null)),
  };
}

/** Returns the secrets of clients by their paths. */
const clientSecretsIn = (values: Fields): [path: string, secret: unknown][] =>
  mcpClients().flatMap(([name, members]) => {
    const client = values[name];
    if (!isFields(client)) return [];
    return members.map((member): [string, unknown] => [`configurations.${name}.${member}`, client[member]]);
  });

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
  given.push(...clientSecretsIn(rest));
  return new Set(
    given.filter(([, value]) => typeof value === 'string' && value !== MASK).map(([path]) => path),
  );
}
