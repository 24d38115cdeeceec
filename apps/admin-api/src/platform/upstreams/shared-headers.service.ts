import { clientCredentialsToken } from '@gw/cloud-identities';
import {
  CLIENT_SECRET_CONTENT,
  configuredClient,
  configuredSecret,
  type McpAuthContent,
} from '@gw/contracts';
import { SecretReferenceEntity, type UpstreamIntegration } from '@gw/entities';
import { VendorError, type VendorCalls } from '@gw/kernel';
import { pick, type SecretReader } from '@gw/secret-managers';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource, In } from 'typeorm';
import { mayUse, SecretAccess } from '../credentials/secret-access';
import { SECRET_READER } from '../credentials/secret-reader';
import { VENDOR_CALLS } from '../credentials/vendor-calls';
import { UpstreamCredentials, type CredentialRow } from './upstream-credentials.service';
import type { UpstreamKind } from './upstream-kind';

type Row = CredentialRow & Pick<UpstreamIntegration, 'workspaceId'>;

/**
 * Creates the headers with which the control plane authenticates at an upstream server or agent.
 */
@Injectable()
export class SharedHeaders {
  constructor(
    private readonly dataSource: DataSource,
    private readonly credentials: UpstreamCredentials,
    private readonly access: SecretAccess,
    @Inject(SECRET_READER) private readonly readSecret: SecretReader,
    @Inject(VENDOR_CALLS) private readonly calls: VendorCalls,
  ) {}

  /**
   * Returns the headers of the credential that all callers share; empty when users authenticate
   * individually. Throws `VendorError`.
   */
  async headersOf(kind: UpstreamKind, row: Row): Promise<Readonly<Record<string, string>>> {
    return signInHeaders(row, this.credentials.open(kind, row), await this.secretsOf(row), this.calls);
  }

  /** Returns the mapped secrets by target. Throws `VendorError`. */
  private async secretsOf({
    secretMappings,
    organisationId,
    workspaceId,
  }: Row): Promise<ReadonlyMap<string, string>> {
    const mappings = secretMappings ?? [];
    if (mappings.length === 0) return new Map();
    const ids = mappings.map(({ secret_reference_id: id }) => id);
    const where = { id: In(ids), organisationId, status: 'active' } as const;
    const rows = await this.dataSource.manager.findBy(SecretReferenceEntity, where);
    const references = new Map(rows.map((row) => [row.id, row]));
    const secrets = new Map<string, string>();
    for (const { target_field: target, secret_reference_id: id, secret_key: key } of mappings) {
      const reference = references.get(id);
      if (!reference || (workspaceId !== null && !mayUse(reference, workspaceId)))
        throw new VendorError('refused', `The secret reference of ${target} may not be used any more.`);
      const location = this.access.locationOf(reference, key);
      secrets.set(target, pick(await this.readSecret(location), location));
    }
    return secrets;
  }
}

/**
 * Returns the headers of a shared credential; empty for a kind of credential that is not shared.
 * `content` contains its saved secrets; `secrets` contains the mapped ones by target. Throws
 * `VendorError`.
 */
export async function signInHeaders(
  { authType, configurations }: Pick<UpstreamIntegration, 'authType' | 'configurations'>,
  content: McpAuthContent,
  secrets: ReadonlyMap<string, string>,
  calls: VendorCalls,
): Promise<Readonly<Record<string, string>>> {
  if (authType === 'headers') return withMapped(content, secrets);
  if (authType !== 'oauth_client_credentials') return {};
  const name = configuredSecret(configurations);
  const secret = secrets.get(name) ?? content[CLIENT_SECRET_CONTENT[name]] ?? '';
  const token = await clientCredentialsToken(configuredClient(configurations, secret), calls);
  return { authorization: `Bearer ${token}` };
}

function withMapped(
  { headers = {} }: McpAuthContent,
  secrets: ReadonlyMap<string, string>,
): Record<string, string> {
  const merged = new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
  for (const [target, value] of secrets) merged.set(target.slice('headers.'.length), value);
  return Object.fromEntries(merged);
}
