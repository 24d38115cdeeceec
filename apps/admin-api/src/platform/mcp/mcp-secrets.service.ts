import { CLIENT_SECRET_CONTENT, mcpAuthBinding, type ClientSecret, type McpAuthContent } from '@gw/contracts';
import { McpIntegrationEntity, SecretReferenceEntity } from '@gw/entities';
import { isObject, unseal, VendorError } from '@gw/kernel';
import { pick, type SecretReader } from '@gw/secret-managers';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource, In } from 'typeorm';
import { Secrets } from '../../settings';
import { mayUse, SecretAccess } from '../credentials/secret-access';
import { SECRET_READER } from '../credentials/secret-reader';
import type { ClientSource } from './connection-tokens';

type Sealed = Pick<McpIntegrationEntity, 'id' | 'organisationId' | 'sealedAuth'>;
type Mapped = Pick<McpIntegrationEntity, 'secretMappings' | 'organisationId' | 'workspaceId'>;

/** Opens the secrets of MCP integrations, including those in a secret manager. */
@Injectable()
export class McpSecrets {
  constructor(
    private readonly dataSource: DataSource,
    private readonly secrets: Secrets,
    private readonly access: SecretAccess,
    @Inject(SECRET_READER) private readonly readSecret: SecretReader,
  ) {}

  /** Returns the secrets that are saved with the integration. */
  open({ id, organisationId, sealedAuth }: Sealed): McpAuthContent {
    if (sealedAuth === null) return {};
    const plain = unseal(this.secrets.sealingKeyring, sealedAuth, mcpAuthBinding(organisationId, id));
    return JSON.parse(plain.toString('utf8')) as McpAuthContent;
  }

  /** Reads the mapped secrets and returns them by target. Throws `VendorError`. */
  async mapped({
    secretMappings,
    organisationId,
    workspaceId,
  }: Mapped): Promise<ReadonlyMap<string, string>> {
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

  /**
   * Returns the mapped client secret of an active integration for an authorization server that the
   * integration names. Throws `VendorError`, also for another issuer, which must not receive the
   * secret.
   */
  async secretFor(source: ClientSource): Promise<string> {
    const row = await this.namingRow(source);
    if (!isMapped(row, 'client_secret')) throw settingsChanged();
    return (await this.mapped(row)).get('client_secret') ?? '';
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
  async clientSecret(row: Sealed & Mapped, target: ClientSecret = 'client_secret'): Promise<string | null> {
    if (isMapped(row, target)) return (await this.mapped(row)).get(target) ?? null;
    return this.open(row)[CLIENT_SECRET_CONTENT[target]] ?? null;
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
