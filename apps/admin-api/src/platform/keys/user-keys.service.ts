import { userKeyCeiling } from '@gw/auth-scopes';
import { documentKey } from '@gw/contracts';
import {
  ApiKeyEntity,
  OrganisationUserEntity,
  UserEntity,
  WorkspaceEntity,
  WorkspaceUserEntity,
  type InvitedApiKey,
} from '@gw/entities';
import { uuidv7 } from '@gw/kernel';
import { Injectable } from '@nestjs/common';
import { Any, Not, type EntityManager, type FindManyOptions } from 'typeorm';
import { FOR_UPDATE, type Write } from '../unit-of-work/writes';
import { securityOf } from '../auth/security';
import { accessTokensOf } from '../auth/user-tokens';
import { found } from '../auth/tenancy';
import type { UserKeyRules } from '../tenant-settings/user-key-settings';
import { ApiKeySecretsService, secretKeysOf } from './api-key-secrets.service';
import { toApiKey } from './api-keys.view';
import { expiryOf, rotationOf, rulesFor, type UserPlace } from './user-key-rules';

/** Scopes of an automatically created key; the key gets only those that its user's role has. */
const AUTO_SCOPES = [
  'completions.write',
  'prompts.render',
  'mcp.invoke',
  'agents.invoke',
  'guardrails.invoke',
  'logs.list',
  'logs.view',
  'analytics.view',
];

/**
 * Creates, archives and refreshes the user keys of users who join, leave or change roles, and makes
 * gateways read these users again.
 */
@Injectable()
export class UserKeysService {
  constructor(private readonly secrets: ApiKeySecretsService) {}

  /**
   * Creates a key for a new member of a workspace if the settings require it. Its secret is not
   * shown; the user rotates the key to get one. Creates none for a user who already has a key or
   * whose role has none of the scopes.
   */
  async provision(write: Write, at: UserPlace): Promise<void> {
    const { manager } = write;
    recordUserChange(write, at);
    const rules = await rulesFor(manager, at);
    if (!rules?.autoCreate) return;
    const has = await manager.existsBy(ApiKeyEntity, {
      workspaceId: at.workspaceId,
      userId: at.userId,
      creationMode: 'auto',
      status: Not('archived' as const),
    });
    if (has) return;
    const wanted = rules.autoCreateScopes.length > 0 ? rules.autoCreateScopes : AUTO_SCOPES;
    await this.make(write, at, { name: null, scopes: wanted, expires_at: null, metadata: null });
  }

  /**
   * Creates the key that an invite promised, with those of the promised scopes that the user's role
   * has.
   */
  async makePromised(write: Write, at: UserPlace, details: InvitedApiKey): Promise<void> {
    recordUserChange(write, at);
    await this.make(write, at, details);
  }

  /**
   * Archives the user keys of one user, in one workspace or in all, and makes gateways read the
   * user's access tokens there again.
   */
  async archive(write: Write, at: Omit<UserPlace, 'workspaceId'> & Partial<UserPlace>): Promise<void> {
    recordUserChange(write, at);
    write.changed(await accessTokensOf(write.manager, at));
    // A rotation locks the key before its secrets too.
    const keys = await liveKeys(write.manager, at, { lock: FOR_UPDATE });
    if (keys.length === 0) return;
    const ids = keys.map(({ id }) => id);
    await this.secrets.revoke(write, ids);
    await write.manager.update(ApiKeyEntity, { id: Any(ids) }, { status: 'archived' });
    for (const { id, workspaceId } of keys) {
      write.audit({ action: 'delete', resourceType: 'api_keys', resourceId: id, workspaceId });
    }
  }

  /**
   * Makes gateways read the keys and access tokens of a user again after a change of role, which
   * changes the user's rights.
   */
  async touch(write: Write, at: Omit<UserPlace, 'workspaceId'> & Partial<UserPlace>): Promise<void> {
    recordUserChange(write, at);
    const ids = (await liveKeys(write.manager, at)).map(({ id }) => id);
    write.changed(await secretKeysOf(write.manager, ids), await accessTokensOf(write.manager, at));
  }

  private async make(write: Write, at: UserPlace, details: InvitedApiKey): Promise<void> {
    const { manager } = write;
    const ceiling = await ceilingOf(manager, at);
    const scopes = details.scopes.filter((scope) => ceiling.has(scope));
    if (scopes.length === 0) return;
    const rules = await rulesFor(manager, at);
    const expiresAt = endOf(details, rules);
    // A promised key may expire before its invite is accepted.
    if (expiresAt !== null && expiresAt.getTime() <= Date.now()) return;
    const id = uuidv7();
    await manager.insert(ApiKeyEntity, {
      id,
      type: 'workspace-user',
      ...at,
      name: details.name ?? (await nameFor(manager, at)),
      scopes,
      expiresAt,
      creationMode: 'auto',
      defaultMetadata: details.metadata,
      rotationPolicy: rotationOf(undefined, rules),
    });
    await this.secrets.issue(write, id);
    const row = await manager.findOneByOrFail(ApiKeyEntity, { id });
    const after = toApiKey(row, '', null);
    const { workspaceId } = at;
    write.audit({ action: 'create', resourceType: 'api_keys', resourceId: id, workspaceId, after });
  }
}

/**
 * Records a change of the user's document, from which gateways read the user's roles for access
 * rules.
 */
const recordUserChange = (
  write: Write,
  { organisationId, userId }: Pick<UserPlace, 'organisationId' | 'userId'>,
): void => write.changed(documentKey.user(organisationId, userId));

/**
 * Returns the promised expiry, but at most the maximum lifetime that is now in force; null for no
 * expiry.
 */
function endOf(details: InvitedApiKey, rules: UserKeyRules | null): Date | null {
  if (details.expires_at === null) return expiryOf(undefined, rules);
  const promised = new Date(details.expires_at).getTime();
  const maxTtl = rules?.maxTtl ?? 0;
  return new Date(maxTtl === 0 ? promised : Math.min(promised, Date.now() + maxTtl * 1_000));
}

async function ceilingOf(manager: EntityManager, at: UserPlace): Promise<ReadonlySet<string>> {
  const { organisationId, workspaceId, userId } = at;
  const seat = await manager.findOneBy(OrganisationUserEntity, { organisationId, userId, status: 'active' });
  const member = await manager.findOneBy(WorkspaceUserEntity, { workspaceId, userId });
  const settings = await securityOf(manager, organisationId, workspaceId);
  return userKeyCeiling(seat?.role ?? null, member?.role ?? null, settings);
}

async function nameFor(manager: EntityManager, { workspaceId, userId }: UserPlace): Promise<string> {
  const workspace = found(await manager.findOneBy(WorkspaceEntity, { id: workspaceId }));
  const user = found(await manager.findOneBy(UserEntity, { id: userId }));
  return `auto-${workspace.slug}-${user.email}`.slice(0, 255);
}

function liveKeys(
  manager: EntityManager,
  at: Omit<UserPlace, 'workspaceId'> & Partial<UserPlace>,
  options: Pick<FindManyOptions, 'lock'> = {},
): Promise<ApiKeyEntity[]> {
  const { organisationId, workspaceId, userId } = at;
  return manager.find(ApiKeyEntity, {
    where: {
      organisationId,
      ...(workspaceId === undefined ? {} : { workspaceId }),
      userId,
      type: 'workspace-user',
      status: Not('archived' as const),
    },
    select: { id: true, workspaceId: true },
    order: { id: 'ASC' },
    ...options,
  });
}
