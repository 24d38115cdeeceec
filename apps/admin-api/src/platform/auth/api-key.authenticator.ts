import { documentKey } from '@gw/contracts';
import { securityInForce, type SecuritySettings, type StoredSecurity } from '@gw/auth-scopes';
import {
  ApiKeyEntity,
  ApiKeySecretEntity,
  OrganisationEntity,
  PreparedStatement,
  WorkspaceEntity,
} from '@gw/entities';
import { GatewayError } from '@gw/kernel';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { ChangeRecorder } from '../unit-of-work/change-recorder';
import { Secrets } from '../../settings';
import { scopesInForce, withUserRoles, type UserRoles } from './key-scopes';

export interface AuthenticatedKey extends UserRoles {
  readonly id: string;
  readonly type: ApiKeyEntity['type'];
  readonly status: ApiKeyEntity['status'];
  readonly organisationId: string;
  readonly workspaceId: string | null;
  readonly userId: string | null;
  readonly madeBy: string | null;
  readonly boundAs: ApiKeyEntity['boundAs'];
  /**
   * Scopes in force: a user key has at most those of its user's current role, a service key at most
   * those that the settings allow its creator's role.
   */
  readonly scopes: string[];
  readonly expiresAt: Date | null;
  /** Security settings in force in the key's workspace. */
  readonly security: SecuritySettings;
}

type KeyRow = Omit<AuthenticatedKey, 'security'> & {
  readonly organisationSecurity: StoredSecurity['organisation'];
  readonly workspaceSecurity: StoredSecurity['workspace'] | null;
  readonly overrides: StoredSecurity['overrides'];
};

/** Prepared statement; its only parameter is the hash of a secret. */
const KEY = new PreparedStatement<KeyRow>('api-key', (source) => {
  const query = source
    .createQueryBuilder(ApiKeySecretEntity, 'secret')
    .innerJoin(ApiKeyEntity, 'key', `key.id = secret.apiKeyId AND key.status <> 'archived'`)
    .innerJoin(
      OrganisationEntity,
      'organisation',
      `organisation.id = key.organisationId AND organisation.status = 'active'`,
    )
    .leftJoin(WorkspaceEntity, 'workspace', 'workspace.id = key.workspaceId')
    .select('key.id', 'id')
    .addSelect('key.type', 'type')
    .addSelect('key.status', 'status')
    .addSelect('key.organisationId', 'organisationId')
    .addSelect('key.workspaceId', 'workspaceId')
    .addSelect('key.userId', 'userId')
    .addSelect('key.madeBy', 'madeBy')
    .addSelect('key.boundAs', 'boundAs')
    .addSelect('key.scopes', 'scopes')
    .addSelect('organisation.securitySettings', 'organisationSecurity')
    .addSelect('organisation.workspaceOverrides', 'overrides')
    .addSelect('workspace.securitySettings', 'workspaceSecurity')
    .addSelect('LEAST(key.expiresAt, secret.expiresAt)', 'expiresAt')
    .where('secret.secretHash = :secretHash', { secretHash: '' })
    .andWhere(`(key.workspaceId IS NULL OR workspace.status = 'active')`);
  return withUserRoles(query).getQueryAndParameters()[0];
});

/**
 * Finds the API key of a secret with one query. Does not cache, so that a revoked key is refused
 * from the next call.
 */
@Injectable()
export class ApiKeyAuthenticator {
  constructor(
    private readonly dataSource: DataSource,
    private readonly secrets: Secrets,
    private readonly changes: ChangeRecorder,
  ) {}

  /**
   * Returns the key of a secret. Throws `api_key_invalid` for an unknown, revoked or orphaned
   * secret and `api_key_expired` for an expired one.
   */
  async authenticate(secret: string): Promise<AuthenticatedKey> {
    const key = await this.findByAny(this.secrets.hashesOf(secret));
    if (!key) throw new GatewayError('api_key_invalid');
    const isOver = key.expiresAt !== null && key.expiresAt.getTime() <= Date.now();
    if (key.status === 'expired' || isOver) throw new GatewayError('api_key_expired');
    const { organisationSecurity, workspaceSecurity, overrides, ...known } = key;
    const security = securityInForce({
      organisation: organisationSecurity,
      workspace: workspaceSecurity ?? {},
      overrides,
    });
    return { ...known, security, scopes: scopesInForce(key, key, security) };
  }

  /**
   * Looks up hashes under earlier master keys only if the current hash is unknown, and rehashes a
   * key that is found under one.
   */
  private async findByAny([current = '', ...earlier]: readonly string[]): Promise<KeyRow | undefined> {
    const known = await this.find(current);
    if (known) return known;
    for (const hash of earlier) {
      const key = await this.find(hash);
      if (!key) continue;
      await this.rehash(hash, current);
      return key;
    }
    // A concurrent call may have rehashed the key between the two queries.
    return earlier.length > 0 ? this.find(current) : undefined;
  }

  /**
   * Replaces an earlier hash with the current one. Does nothing and records nothing when a
   * concurrent call has already rehashed the key.
   */
  private rehash(earlier: string, current: string): Promise<void> {
    return this.dataSource.transaction(async (manager) => {
      const where = { secretHash: earlier };
      const { affected } = await manager.update(ApiKeySecretEntity, where, { secretHash: current });
      if (affected !== 1) return;
      await this.changes.record(manager, {
        changed: [documentKey.apiKey(current)],
        removed: [documentKey.apiKey(earlier)],
      });
    });
  }

  private async find(secretHash: string): Promise<KeyRow | undefined> {
    const [row] = await KEY.run(this.dataSource, [secretHash]);
    return row;
  }
}
