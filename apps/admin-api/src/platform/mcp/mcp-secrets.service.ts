import { CLIENT_SECRET_CONTENT, mcpAuthBinding, type ClientSecret } from '@gw/contracts';
import { McpIntegrationEntity } from '@gw/entities';
import { isObject, VendorError } from '@gw/kernel';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { MappedSecrets, type MappingRow } from '../upstreams/mapped-secrets.service';
import { UpstreamCredentials, type CredentialRow } from '../upstreams/upstream-credentials.service';
import type { ClientSource } from './connection-tokens';

type Row = MappingRow & Pick<CredentialRow, 'id' | 'sealedAuth'>;

/** Opens the secrets of clients of MCP integrations, including those in a secret manager. */
@Injectable()
export class McpSecrets {
  constructor(
    private readonly dataSource: DataSource,
    private readonly credentials: UpstreamCredentials,
    private readonly mapped: MappedSecrets,
  ) {}

  /**
   * Returns the mapped client secret of an active integration for an authorization server that the
   * integration names. Throws `VendorError`, also for another issuer, which must not receive the
   * secret.
   */
  async secretFor(source: ClientSource): Promise<string> {
    const row = await this.namingRow(source);
    if (!isMapped(row, 'client_secret')) throw settingsChanged();
    return (await this.mapped.of(row)).get('client_secret') ?? '';
  }

  /**
   * Returns the key of an active integration and its use, for an authorization server that the
   * integration names. Throws `VendorError`, also for another issuer, which must not receive
   * signatures of the key.
   */
  async keyFor(source: ClientSource): Promise<OwnKey> {
    const row = await this.namingRow(source);
    const client = clientOf(row);
    const text =
      client['auth_method'] === 'private_key_jwt' ? await this.clientSecret(row, 'private_key') : null;
    if (text === null) throw settingsChanged();
    const { key_id: keyId, signing_alg: algorithm } = client;
    return { text, keyId: textOrNull(keyId), algorithm: textOrNull(algorithm) };
  }

  /**
   * Returns the active integration if it still names the issuer. Throws `VendorError` otherwise.
   */
  private async namingRow({ integrationId, issuer }: ClientSource): Promise<McpIntegrationEntity> {
    const where = { id: integrationId, status: 'active' } as const;
    const row = await this.dataSource.manager.findOneBy(McpIntegrationEntity, where);
    if (row === null || clientOf(row)['issuer'] !== issuer) throw settingsChanged();
    return row;
  }

  /**
   * Returns a secret of a client, mapped or saved; null when there is none. Throws `VendorError`.
   */
  async clientSecret(row: Row, target: ClientSecret = 'client_secret'): Promise<string | null> {
    if (isMapped(row, target)) return (await this.mapped.of(row)).get(target) ?? null;
    const content = this.credentials.open({ binding: mcpAuthBinding }, row);
    return content[CLIENT_SECRET_CONTENT[target]] ?? null;
  }
}

/** A signing key of a client, with its configured id and algorithm. */
export interface OwnKey {
  readonly text: string;
  readonly keyId: string | null;
  readonly algorithm: string | null;
}

/** Returns the client that the administrator configured for getting users' tokens. */
function clientOf({
  authType,
  configurations,
}: Pick<McpIntegrationEntity, 'authType' | 'configurations'>): Readonly<Record<string, unknown>> {
  const client = configurations[authType === 'token_exchange' ? authType : 'oauth_metadata'];
  return isObject(client) ? client : {};
}

const textOrNull = (value: unknown): string | null => (typeof value === 'string' ? value : null);

const settingsChanged = (): VendorError =>
  new VendorError('refused', 'The integration names another authorization server or secret now.');

export const isMapped = (
  { secretMappings }: Pick<McpIntegrationEntity, 'secretMappings'>,
  target: ClientSecret,
): boolean => (secretMappings ?? []).some(({ target_field }) => target_field === target);
