import { ApiKeyEntity } from '@gw/entities';
import { GatewayError, uuidv7 } from '@gw/kernel';
import { assertMatches, invalid, listOf, windowOf, type ListResponse } from '@gw/web';
import { Injectable } from '@nestjs/common';
import { DataSource, In, Not, type EntityManager, type FindOptionsWhere } from 'typeorm';
import { FOR_UPDATE, Writes } from '../../platform/unit-of-work/writes';
import type { Principal } from '../../platform/common/principal';
import { found, inOrganisation, inWorkspace, isUuid, reach } from '../../platform/auth/tenancy';
import { withUsage } from '../../platform/limits/limit-usage';
import { toStoredRateLimits, toStoredUsageLimit } from '../../platform/limits/limits';
import { heldMetadata } from '../../platform/rows/held-metadata';
import { configSlugsOf } from '../../platform/rows/config-references';
import { applyDefaults, applyUpdate } from './api-key-changes';
import {
  API_KEY_TYPES,
  assertMay,
  assertWithinUser,
  isPlainMember,
  normaliseScopes,
  scopeFor,
  type ApiKeyAction,
  type ApiKeyType,
} from '../../platform/keys/api-key-rules';
import { endLimits, holdLimits } from '../../platform/auth/grants';
import { assertMayMakeKey, assertMayRotate, limitsOf, makerOf } from './api-key-grants';
import { ApiKeyPages } from './api-key-pages';
import { ApiKeySecretsService } from '../../platform/keys/api-key-secrets.service';
import {
  TRANSITION_MS_MIN,
  type CreateApiKeyDto,
  type ListApiKeysQuery,
  type RotateApiKeyDto,
  type UpdateApiKeyDto,
} from '../../platform/keys/api-keys.dto';
import { assertRoomForKey, expiryOf, rotationOf, rulesFor } from '../../platform/keys/user-key-rules';
import { afterRotation } from '../../platform/keys/rotation-policy';
import {
  limitOwnerOf,
  toApiKey,
  type ApiKeyResponse,
  type CreatedApiKey,
  type RotatedApiKey,
} from '../../platform/keys/api-keys.view';

@Injectable()
export class ApiKeysService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly writes: Writes,
    private readonly secrets: ApiKeySecretsService,
    private readonly pages: ApiKeyPages,
  ) {}

  create(caller: Principal, type: ApiKeyType, input: CreateApiKeyDto): Promise<CreatedApiKey> {
    assertMay(caller, type, 'create');
    const scopes = normaliseScopes(input.scopes, type);
    const at =
      type === 'organisation-service'
        ? { ...inOrganisation(caller), workspaceId: null }
        : inWorkspace(caller);
    const userId = userOf(caller, type, input);

    return this.writes.run(caller, async (write) => {
      const [{ manager }, { organisationId, workspaceId }] = [write, at];
      await assertMayMakeKey(manager, caller, { type, ...at, userId, ...makerOf(caller, userId), scopes });
      if (userId !== null && workspaceId !== null) {
        await assertWithinUser(manager, { organisationId, workspaceId }, userId, scopes);
      }
      const rules = await rulesFor(manager, { organisationId, workspaceId, userId });
      if (rules && userId !== null && workspaceId !== null) {
        await assertRoomForKey(manager, { organisationId, workspaceId, userId }, rules);
      }
      const row = manager.create(ApiKeyEntity, {
        id: uuidv7(),
        type,
        organisationId,
        workspaceId,
        userId,
        ...makerOf(caller, userId),
        name: input.name,
        description: input.description ?? null,
        status: 'active',
        scopes,
        expiresAt: expiryOf(input.expires_at, rules),
        creationMode: caller.kind === 'session' ? 'ui' : 'api',
        allowConfigOverride: true,
        defaultMetadata: null,
        defaultConfigId: null,
        alertEmails: input.alert_emails ?? null,
        rateLimits: toStoredRateLimits(input.rate_limits ?? null),
        usageLimits: input.usage_limits ? toStoredUsageLimit(input.usage_limits, 'usage_limits') : null,
        rotationPolicy: rotationOf(input.rotation_policy, rules),
      });
      await applyDefaults(manager, row, input.defaults ?? {});
      row.defaultMetadata = await heldMetadata(
        manager,
        organisationId,
        'apiKeyMetadataSchema',
        row.defaultMetadata,
      );
      holdLimits(caller, row, { before: [], after: limitsOf(row) });
      await manager.insert(ApiKeyEntity, row);
      const key = await this.secrets.issue(write, row.id);
      const saved = await manager.findOneByOrFail(ApiKeyEntity, { id: row.id });
      write.audit({
        action: 'create',
        resourceType: 'api_keys',
        resourceId: row.id,
        workspaceId,
        after: await this.viewOf(manager, saved),
      });
      return { id: row.id, key, object: 'api-key' };
    });
  }

  async list(caller: Principal, query: ListApiKeysQuery): Promise<ListResponse<ApiKeyResponse>> {
    const { ids, status } = query;
    const mine = visibleTo(caller);
    const types = API_KEY_TYPES.filter((type) => caller.scopes.has(scopeFor(type, 'list')));
    const where = {
      ...mine,
      type: In(types),
      status: status ? In(status) : Not('archived' as const),
      ...(ids === undefined ? {} : { id: In(ids) }),
    };
    const name = JSON.stringify([mine, types, status, ids]);
    const [rows, total] = await this.pages.page(where, name, windowOf(query));
    return listOf([await this.shownOf(rows), total]);
  }

  async get(caller: Principal, id: string): Promise<ApiKeyResponse> {
    const [shown] = await this.shownOf([await this.find(this.dataSource.manager, caller, id, 'read')]);
    return found(shown);
  }

  update(
    caller: Principal,
    id: string,
    input: UpdateApiKeyDto,
    ifMatch: string | undefined,
  ): Promise<object> {
    return this.writes.run(caller, async (write) => {
      const { manager } = write;
      const row = await this.find(manager, caller, id, 'update', true);
      assertMatches(ifMatch, row);
      const before = await this.viewOf(manager, row);
      await applyUpdate(manager, caller, row, input);
      await manager.save(ApiKeyEntity, row);
      write.audit({
        action: 'update',
        resourceType: 'api_keys',
        resourceId: row.id,
        workspaceId: row.workspaceId,
        before,
        after: await this.viewOf(manager, row),
      });
      await this.secrets.touch(write, [row.id]);
      return {};
    });
  }

  /** Soft: the row stays, archived; its secrets are gone at once. */
  remove(caller: Principal, id: string, ifMatch: string | undefined): Promise<object> {
    return this.writes.run(caller, async (write) => {
      const { manager } = write;
      const row = await this.find(manager, caller, id, 'delete', true);
      assertMatches(ifMatch, row);
      const before = await this.viewOf(manager, row);
      row.status = 'archived';
      endLimits(caller, row);
      await manager.save(ApiKeyEntity, row);
      await this.secrets.revoke(write, [row.id]);
      write.audit({
        action: 'delete',
        resourceType: 'api_keys',
        resourceId: row.id,
        workspaceId: row.workspaceId,
        before,
      });
      return {};
    });
  }

  /**
   * The old secret works for the transition: as the request says, else as the key's policy says, else half an hour. With
   * `revoke_previous` it ends at once. Otherwise the first call after a rotation by policy gives the secret that it made.
   */
  rotate(caller: Principal, id: string, input: RotateApiKeyDto): Promise<RotatedApiKey> {
    if (input.revoke_previous === true && input.key_transition_period_ms !== undefined) {
      throw invalid(
        'revoke_previous',
        'revoke_previous and key_transition_period_ms are mutually exclusive; send one of them',
      );
    }
    return this.writes.run(caller, async (write) => {
      const row = await this.find(write.manager, caller, id, 'rotate', true);
      await assertMayRotate(write.manager, caller, row);
      const transitionMs =
        input.key_transition_period_ms ?? row.rotationPolicy?.key_transition_period_ms ?? TRANSITION_MS_MIN;
      const rotation =
        input.revoke_previous === true
          ? await this.secrets.replaceAtOnce(write, row)
          : await this.secrets.rotate(write, row, transitionMs);
      if (rotation.mode === 'manual') {
        row.lastRotatedAt = new Date();
        row.rotationPolicy = row.rotationPolicy && afterRotation(row.rotationPolicy, row.lastRotatedAt);
        await write.manager.save(ApiKeyEntity, row);
      }
      const expires = rotation.transitionExpiresAt?.toISOString() ?? null;
      write.audit({
        action: 'rotate',
        resourceType: 'api_keys',
        resourceId: row.id,
        workspaceId: row.workspaceId,
        after: {
          api_key_id: row.id,
          rotation_mode: rotation.mode,
          masked_old: rotation.oldMasked,
          transition_expires_at: expires,
        },
      });
      return { id: row.id, key: rotation.key, key_transition_expires_at: expires };
    });
  }

  private async find(
    manager: EntityManager,
    caller: Principal,
    id: string,
    action: ApiKeyAction,
    forUpdate = false,
  ): Promise<ApiKeyEntity> {
    if (!isUuid(id)) throw new GatewayError('not_found');
    const row = await manager.findOne(ApiKeyEntity, {
      where: { ...visibleTo(caller), id, status: Not('archived' as const) },
      ...(forUpdate ? { lock: FOR_UPDATE } : {}),
    });
    const key = found(row);
    assertMay(caller, key.type, action);
    return key;
  }

  /** The key of the caller itself, which needs no scope. */
  async own(caller: Principal): Promise<ApiKeyResponse> {
    const { manager } = this.dataSource;
    const id = caller.apiKeyId ?? '';
    const row = await manager.findOneBy(ApiKeyEntity, { id, organisationId: caller.organisationId });
    return this.viewOf(manager, found(row));
  }

  private async shownOf(rows: readonly ApiKeyEntity[]): Promise<ApiKeyResponse[]> {
    const { manager } = this.dataSource;
    return withUsage(manager, await this.viewsOf(manager, rows), rows.map(limitOwnerOf));
  }

  private async viewsOf(manager: EntityManager, rows: readonly ApiKeyEntity[]): Promise<ApiKeyResponse[]> {
    const masked = await this.secrets.maskedOf(
      manager,
      rows.map(({ id }) => id),
    );
    const slugs = await configSlugsOf(
      manager,
      rows.map(({ defaultConfigId }) => defaultConfigId),
    );
    return rows.map((row) =>
      toApiKey(row, masked.get(row.id) ?? '', slugs.get(row.defaultConfigId ?? '') ?? null),
    );
  }

  private async viewOf(manager: EntityManager, row: ApiKeyEntity): Promise<ApiKeyResponse> {
    const [view] = await this.viewsOf(manager, [row]);
    return found(view);
  }
}

/** The keys that the caller may know of; scopes of a type are checked on top. */
function visibleTo(caller: Principal): FindOptionsWhere<ApiKeyEntity> {
  const mine = reach(caller);
  return isPlainMember(caller) ? { ...mine, type: 'workspace-user', userId: caller.userId ?? '' } : mine;
}

function userOf(caller: Principal, type: ApiKeyType, input: CreateApiKeyDto): string | null {
  if (type !== 'workspace-user') {
    if (input.user_id !== undefined) throw invalid('user_id', 'only a user key has a user');
    return null;
  }
  const userId = input.user_id ?? caller.userId;
  if (userId === null) throw invalid('user_id', 'user_id is required when an API key makes a user key');
  if (userId !== caller.userId && isPlainMember(caller)) {
    throw new GatewayError('forbidden', { message: 'Only managers make keys for other users.' });
  }
  return userId;
}
