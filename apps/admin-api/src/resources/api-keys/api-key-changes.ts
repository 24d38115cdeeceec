import type { ApiKeyEntity } from '@gw/entities';
import { invalid } from '@gw/web';
import type { EntityManager } from 'typeorm';
import type { UserKeyRules } from '../../platform/tenant-settings/user-key-settings';
import type { Principal } from '../../platform/common/principal';
import { toStoredRateLimits, toStoredUsageLimit } from '../../platform/limits/limits';
import { heldMetadata } from '../../platform/rows/held-metadata';
import { configIdOf } from '../../platform/rows/config-references';
import { holdLimits } from '../../platform/auth/grants';
import { assertMayGrantKey, limitsOf } from './api-key-grants';
import { assertWithinUser, normaliseScopes, toExpiry } from '../../platform/keys/api-key-rules';
import { toStoredMcp } from '../../platform/keys/key-mcp-access';
import type { ApiKeyDefaultsDto, UpdateApiKeyDto } from '../../platform/keys/api-keys.dto';
import { assertLifetime, changedRotation, rulesFor } from '../../platform/keys/user-key-rules';

/**
 * Changes the defaults of the row without saving it: an absent field keeps its value, null clears
 * it. Throws `validation_failed` for a config outside the key's workspace, and for metadata that
 * does not match the organisation's schema.
 */
export async function applyDefaults(
  manager: EntityManager,
  row: ApiKeyEntity,
  input: ApiKeyDefaultsDto,
): Promise<void> {
  if (input.metadata !== undefined) row.defaultMetadata = input.metadata;
  if (input.allow_config_override !== undefined) row.allowConfigOverride = input.allow_config_override;
  if (input.config_id === null) row.defaultConfigId = null;
  else if (input.config_id !== undefined) {
    if (row.workspaceId === null)
      throw invalid('defaults.config_id', 'a key of the whole organisation cannot have a config');
    row.defaultConfigId = await configIdOf(manager, row.workspaceId, input.config_id, 'defaults.config_id');
  }
  const { organisationId, defaultMetadata } = row;
  row.defaultMetadata = await heldMetadata(manager, organisationId, 'apiKeyMetadataSchema', defaultMetadata);
}

/** Applies the input to the row without saving it. */
export async function applyUpdate(
  manager: EntityManager,
  caller: Principal,
  row: ApiKeyEntity,
  input: UpdateApiKeyDto,
): Promise<void> {
  const before = limitsOf(row);
  await applyScopes(manager, caller, row, input.scopes);
  if (input.name !== undefined) row.name = input.name;
  if (input.description !== undefined) row.description = input.description;
  if (input.alert_emails !== undefined) row.alertEmails = input.alert_emails;
  if (input.rate_limits !== undefined) row.rateLimits = toStoredRateLimits(input.rate_limits);
  if (input.mcp !== undefined) row.mcp = toStoredMcp(input.mcp);
  const rules = await rulesFor(manager, row);
  const rotation = changedRotation(row, input.rotation_policy, rules);
  if (rotation !== undefined) row.rotationPolicy = rotation;
  if (input.defaults !== undefined) {
    await applyDefaults(manager, row, input.defaults ?? { metadata: null, config_id: null });
  }
  if (input.expires_at !== undefined && hasExpired(row)) await assertMayGrantKey(manager, caller, row);
  applyLife(row, input, rules);
  const change = { before, after: limitsOf(row), isReset: input.reset_usage === true };
  holdLimits(caller, row, change, row.id);
}

async function applyScopes(
  manager: EntityManager,
  caller: Principal,
  row: ApiKeyEntity,
  input: readonly string[] | undefined,
): Promise<void> {
  if (input === undefined) return;
  const scopes = normaliseScopes(input, row.type);
  await assertMayGrantKey(manager, caller, { ...row, scopes });
  const { organisationId, workspaceId, userId } = row;
  if (userId !== null && workspaceId !== null) {
    await assertWithinUser(manager, { organisationId, workspaceId }, userId, scopes);
  }
  row.scopes = scopes;
}

/** Whether a key has expired. A new expiry gives such a key its scopes again. */
const hasExpired = ({ status, expiresAt }: ApiKeyEntity): boolean =>
  status === 'expired' || (expiresAt !== null && expiresAt.getTime() <= Date.now());

/** Applies expiry and budget. A key that is no longer expired or exhausted becomes active. */
function applyLife(row: ApiKeyEntity, input: UpdateApiKeyDto, rules: UserKeyRules | null): void {
  if (input.expires_at !== undefined) {
    row.expiresAt = assertLifetime(toExpiry(input.expires_at), rules);
    if (row.status === 'expired') row.status = 'active';
  }
  if (input.usage_limits !== undefined) {
    row.usageLimits = input.usage_limits && toStoredUsageLimit(input.usage_limits, 'usage_limits');
    if (row.status === 'exhausted') row.status = 'active';
  }
  if (input.reset_usage === true) {
    row.lastResetAt = new Date();
    if (row.status === 'exhausted') row.status = 'active';
    if (row.usageLimits) row.usageLimits = { ...row.usageLimits, status: 'active' };
  }
}
