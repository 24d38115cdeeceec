import { ApiKeyEntity, OrganisationEntity, WorkspaceEntity } from '@gw/entities';
import { GatewayError, uuidv7 } from '@gw/kernel';
import { invalid, listOf, viewOf, windowOf, type ListResponse } from '@gw/web';
import { Injectable } from '@nestjs/common';
import { DataSource, In, Not, type FindOptionsWhere } from 'typeorm';
import { FOR_UPDATE, Writes } from '../../platform/unit-of-work/writes';
import { isLoggedIn, type Principal } from '../../platform/common/principal';
import { containing } from '../../platform/common/text';
import { found, idOf, inOrganisation, inWorkspace, reach } from '../../platform/auth/tenancy';
import type { ResourceReference } from '../../platform/resource/resource-reference';
import { archiveRow, audit, createRow, findRow, patchRow, type Resource } from '../../platform/resource/rows';
import { withUsage } from '../../platform/limits/limit-usage';
import { toStoredRateLimits, toStoredUsageLimit } from '../../platform/limits/limits';
import { applyDefaults, applyUpdate } from './api-key-changes';
import {
  API_KEY_TYPES,
  assertMay,
  assertWithinUser,
  isPlainMember,
  normaliseScopes,
  scopeFor,
  type ApiKeyType,
} from '../../platform/keys/api-key-rules';
import { endLimits, holdLimits } from '../../platform/auth/grants';
import { assertMayMakeKey, assertMayRotate, limitsOf, makerOf } from './api-key-grants';
import { toStoredMcp } from '../../platform/keys/key-mcp-access';
import { ApiKeyPages } from './api-key-pages';
import { ApiKeySecretsService, secretKeysOf } from '../../platform/keys/api-key-secrets.service';
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
  apiKeyViews,
  limitOwnerOf,
  type ApiKeyResponse,
  type CreatedApiKey,
  type RotatedApiKey,
} from '../../platform/keys/api-keys.view';
import {
  OrganisationDetails,
  WorkspaceDetails,
  type SelfDetailsQuery,
  type SelfDetailsResponse,
} from './self-details.dto';

const API_KEY: Resource<ApiKeyEntity> = {
  entity: ApiKeyEntity,
  type: 'api_keys',
  view: async (row, _caller, manager) => found((await apiKeyViews(manager, [row]))[0]),
  where: (caller, reference) => ({
    ...visibleTo(caller),
    id: idOf(reference),
    status: Not('archived' as const),
  }),
  allow: ({ type }, caller, action) => assertMay(caller, type, action),
  changes: ({ id }, manager) => secretKeysOf(manager, [id]),
};

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
    const { organisationId, workspaceId } =
      type === 'organisation-service'
        ? { ...inOrganisation(caller), workspaceId: null }
        : inWorkspace(caller);
    const userId = userOf(caller, type, input);
    const owner = { type, organisationId, workspaceId, userId, ...makerOf(caller, userId), scopes };

    return this.writes.run(caller, async (write) => {
      const { manager } = write;
      await assertMayMakeKey(manager, caller, owner);
      const rules = await rulesFor(manager, owner);
      if (userId !== null && workspaceId !== null) {
        const place = { organisationId, workspaceId, userId };
        await assertWithinUser(manager, place, userId, scopes);
        if (rules) await assertRoomForKey(manager, place, rules);
      }
      const values = manager.create(ApiKeyEntity, {
        id: uuidv7(),
        ...owner,
        name: input.name,
        description: input.description ?? null,
        status: 'active',
        expiresAt: expiryOf(input.expires_at, rules),
        creationMode: isLoggedIn(caller) ? 'ui' : 'api',
        allowConfigOverride: true,
        defaultMetadata: null,
        defaultConfigId: null,
        alertEmails: input.alert_emails ?? null,
        mcp: toStoredMcp(input.mcp ?? null),
        rateLimits: toStoredRateLimits(input.rate_limits ?? null),
        usageLimits: input.usage_limits ? toStoredUsageLimit(input.usage_limits, 'usage_limits') : null,
        rotationPolicy: rotationOf(input.rotation_policy, rules),
      });
      await applyDefaults(manager, values, input.defaults ?? {});
      holdLimits(caller, values, { before: [], after: limitsOf(values) });
      let key = '';
      const { id } = await createRow(write, API_KEY, values, async (row) => {
        key = await this.secrets.issue(write, row.id);
      });
      return { id, key, object: 'api-key' };
    });
  }

  async list(caller: Principal, query: ListApiKeysQuery): Promise<ListResponse<ApiKeyResponse>> {
    const { ids, status, search } = query;
    const mine = visibleTo(caller);
    const types = API_KEY_TYPES.filter(
      (type) => (mine.type ?? type) === type && caller.scopes.has(scopeFor(type, 'list')),
    );
    const where = {
      ...mine,
      type: In(types),
      status: status ? In(status) : Not('archived' as const),
      ...(ids === undefined ? {} : { id: In(ids) }),
      ...(search === undefined ? {} : { name: containing(search) }),
    };
    // The cache key contains everything on which `where` depends.
    const name = JSON.stringify([mine, types, status, ids, search]);
    const [rows, total] = await this.pages.page(where, name, windowOf(query), query);
    return listOf([await this.shownOf(rows), total]);
  }

  async get(at: ResourceReference): Promise<ApiKeyResponse> {
    const row = await findRow(this.dataSource.manager, API_KEY, at);
    assertMay(at.caller, row.type, 'read');
    return found((await this.shownOf([row]))[0]);
  }

  update(at: ResourceReference, input: UpdateApiKeyDto): Promise<object> {
    return this.writes.run(at.caller, (write) =>
      patchRow(write, API_KEY, at, (row) => applyUpdate(write.manager, at.caller, row, input)),
    );
  }

  /** Archives the key and deletes its secrets. */
  remove(at: ResourceReference): Promise<object> {
    return this.writes.run(at.caller, (write) =>
      archiveRow(write, API_KEY, at, async (row) => {
        endLimits(at.caller, row);
        await this.secrets.revoke(write, [row.id]);
      }),
    );
  }

  /**
   * Replaces the secret. The old secret remains valid for the transition period: that of the
   * request, else that of the key's policy, else half an hour. With `revoke_previous` all old
   * secrets stop working immediately. If the policy has already rotated the key and the new secret
   * has not been fetched yet, the first call without `revoke_previous` returns that secret instead
   * of a new one.
   */
  rotate(caller: Principal, reference: string, input: RotateApiKeyDto): Promise<RotatedApiKey> {
    if (input.revoke_previous === true && input.key_transition_period_ms !== undefined) {
      throw invalid(
        'revoke_previous',
        'revoke_previous and key_transition_period_ms are mutually exclusive; send one of them',
      );
    }
    return this.writes.run(caller, async (write) => {
      const { manager } = write;
      const row = await findRow(manager, API_KEY, { caller, reference }, { lock: FOR_UPDATE });
      assertMay(caller, row.type, 'rotate');
      await assertMayRotate(manager, caller, row);
      write.concerns(row);
      const transitionMs =
        input.key_transition_period_ms ?? row.rotationPolicy?.key_transition_period_ms ?? TRANSITION_MS_MIN;
      const rotation =
        input.revoke_previous === true
          ? await this.secrets.replaceAllSecrets(write, row)
          : await this.secrets.rotate(write, row, transitionMs);
      if (rotation.mode === 'manual') {
        row.lastRotatedAt = new Date();
        row.rotationPolicy = row.rotationPolicy && afterRotation(row.rotationPolicy, row.lastRotatedAt);
        await manager.save(row);
      }
      const expires = rotation.transitionExpiresAt?.toISOString() ?? null;
      audit(write, API_KEY, 'rotate', row, {
        after: {
          api_key_id: row.id,
          rotation_mode: rotation.mode,
          masked_old: rotation.oldMasked,
          revoke_previous: input.revoke_previous === true,
          transition_expires_at: expires,
        },
      });
      return { id: row.id, key: rotation.key, key_transition_expires_at: expires };
    });
  }

  /** Describes the key that the caller authenticates with; needs no scope. */
  async self(caller: Principal, query: SelfDetailsQuery): Promise<SelfDetailsResponse> {
    const { manager } = this.dataSource;
    const { organisationId } = caller;
    const key = found(await manager.findOneBy(ApiKeyEntity, { id: caller.apiKeyId ?? '', organisationId }));
    const details = found((await this.shownOf([key]))[0]);
    const organisation = query.include_organisation
      ? await manager.findOneByOrFail(OrganisationEntity, { id: organisationId })
      : null;
    const workspace =
      query.include_workspace && key.workspaceId !== null
        ? await manager.findOneByOrFail(WorkspaceEntity, { id: key.workspaceId })
        : null;
    return {
      data: {
        api_key_details: details,
        ...(organisation && {
          organisation_details: viewOf(OrganisationDetails, organisation, {
            organisation_id: organisation.id,
          }),
        }),
        ...(workspace && { workspace_details: viewOf(WorkspaceDetails, workspace) }),
      },
      object: 'api-key-details',
    };
  }

  private async shownOf(rows: readonly ApiKeyEntity[]): Promise<ApiKeyResponse[]> {
    const { manager } = this.dataSource;
    return withUsage(manager, await apiKeyViews(manager, rows), rows.map(limitOwnerOf));
  }
}

/**
 * Returns a condition for the keys that the caller may see. The scopes for the type of a key are
 * checked separately.
 */
function visibleTo(caller: Principal): FindOptionsWhere<ApiKeyEntity> {
  const mine = reach(caller);
  return isPlainMember(caller) ? { ...mine, type: 'workspace-user', userId: caller.userId ?? '' } : mine;
}

function userOf(caller: Principal, type: ApiKeyType, input: CreateApiKeyDto): string | null {
  if (type !== 'workspace-user') {
    if (input.user_id !== undefined)
      throw invalid('user_id', 'only a key of the type workspace-user can have a user_id');
    return null;
  }
  const userId = input.user_id ?? caller.userId;
  if (userId === null) throw invalid('user_id', 'user_id is required when an API key creates a user key');
  if (userId !== caller.userId && isPlainMember(caller)) {
    throw new GatewayError('forbidden', { message: 'Only managers can create keys for other users.' });
  }
  return userId;
}
