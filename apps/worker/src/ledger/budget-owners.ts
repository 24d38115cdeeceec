import { documentKey, type DocumentKey, type LimitState, type UsageLimitRule } from '@gw/contracts';
import {
  ApiKeyEntity,
  ApiKeySecretEntity,
  IntegrationEntity,
  IntegrationWorkspaceEntity,
  policyUsageLimit,
  ProviderEntity,
  UsageLimitPolicyEntity,
  usageLimitRules,
  WorkspaceEntity,
  type StoredUsageLimit,
} from '@gw/entities';
import type { EntityManager } from 'typeorm';

/** An owner of budgets, locked for the transaction. */
export interface BudgetOwner {
  readonly scope: LimitState['scope'];
  readonly id: string;
  /** Display name of the owner. */
  readonly name: string;
  readonly organisationId: string;
  readonly workspaceId: string | null;
  /** Workspace id for an integration; absent otherwise. */
  readonly group?: string;
  /** Resource type in the audit log. */
  readonly resourceType: 'api_keys' | 'workspaces' | 'providers' | 'integrations' | 'policies';
  readonly limits: readonly StoredUsageLimit[];
  /** The rules of `limits`, in their order. */
  readonly rules: readonly UsageLimitRule[];
  /**
   * Stores the limits with their status; for a policy only the next reset, since its statuses are
   * those of its values.
   */
  save(limits: readonly StoredUsageLimit[], lastResetAt?: Date): Promise<void>;
  /** Read-model documents that show the status. */
  documents(): Promise<readonly DocumentKey[]>;
}

export type OwnerScope = BudgetOwner['scope'];

const LOCK = { mode: 'pessimistic_write' } as const;

/**
 * Loads and locks an owner; null if it is archived or has no budget, so that queries for owners
 * exclude archived ones (`owners-to-check.queries.ts`). `group` is the workspace of an integration.
 */
export function lockOwner(
  manager: EntityManager,
  scope: OwnerScope,
  id: string,
  group: string | null,
): Promise<BudgetOwner | null> {
  switch (scope) {
    case 'api_key':
      return keyOwner(manager, id);
    case 'workspace':
      return workspaceOwner(manager, id);
    case 'provider':
      return providerOwner(manager, id);
    case 'integration':
      return integrationOwner(manager, id, group);
    case 'policy':
      return policyOwner(manager, id);
  }
}

async function keyOwner(manager: EntityManager, id: string): Promise<BudgetOwner | null> {
  const row = await manager.findOne(ApiKeyEntity, { where: { id }, lock: LOCK });
  if (!row?.usageLimits || row.status === 'archived') return null;
  const { organisationId, workspaceId, name } = row;
  return {
    ...{ scope: 'api_key', id, name, organisationId, workspaceId, resourceType: 'api_keys' },
    limits: [row.usageLimits],
    rules: usageLimitRules(row.usageLimits, row.lastResetAt),
    async save([limit], lastResetAt) {
      row.usageLimits = limit ?? null;
      row.status = withBudget(row.status, limit);
      if (lastResetAt) row.lastResetAt = lastResetAt;
      await manager.save(row);
    },
    async documents() {
      const secrets = await manager.findBy(ApiKeySecretEntity, { apiKeyId: id });
      return secrets.map(({ secretHash }) => documentKey.apiKey(secretHash));
    },
  };
}

async function workspaceOwner(manager: EntityManager, id: string): Promise<BudgetOwner | null> {
  const row = await manager.findOne(WorkspaceEntity, { where: { id, status: 'active' }, lock: LOCK });
  if (!row?.usageLimits) return null;
  return {
    ...{
      scope: 'workspace',
      id,
      name: row.name,
      organisationId: row.organisationId,
      workspaceId: id,
      resourceType: 'workspaces',
    },
    limits: row.usageLimits,
    rules: usageLimitRules(row.usageLimits, row.lastResetAt),
    async save(limits, lastResetAt) {
      row.usageLimits = [...limits];
      if (lastResetAt) row.lastResetAt = lastResetAt;
      await manager.save(row);
    },
    documents: () => Promise.resolve([documentKey.workspace(id)]),
  };
}

async function providerOwner(manager: EntityManager, id: string): Promise<BudgetOwner | null> {
  const row = await manager.findOne(ProviderEntity, { where: { id }, lock: LOCK });
  if (!row?.usageLimits || row.status === 'archived') return null;
  const { organisationId, workspaceId, slug, name } = row;
  return {
    ...{ scope: 'provider', id, name, organisationId, workspaceId, resourceType: 'providers' },
    limits: [row.usageLimits],
    rules: usageLimitRules(row.usageLimits, row.lastResetAt),
    async save([limit], lastResetAt) {
      row.usageLimits = limit ?? null;
      row.status = withBudget(row.status, limit);
      if (lastResetAt) row.lastResetAt = lastResetAt;
      await manager.save(row);
    },
    documents: () => Promise.resolve([documentKey.provider(workspaceId, slug)]),
  };
}

async function integrationOwner(
  manager: EntityManager,
  id: string,
  workspaceId: string | null,
): Promise<BudgetOwner | null> {
  if (workspaceId === null) return null;
  const where = { integrationId: id, workspaceId };
  const row = await manager.findOne(IntegrationWorkspaceEntity, { where, lock: LOCK });
  const integration = await manager.findOneBy(IntegrationEntity, { id, status: 'active' });
  // An integration that all workspaces may use has no row for one workspace, so its status cannot
  // be stored.
  if (!row?.usageLimits || integration === null) return null;
  return {
    ...{
      scope: 'integration',
      id,
      name: integration.name,
      workspaceId,
      group: workspaceId,
      resourceType: 'integrations',
    },
    organisationId: integration.organisationId,
    limits: row.usageLimits,
    rules: usageLimitRules(row.usageLimits, row.lastResetAt),
    async save(limits, lastResetAt) {
      row.usageLimits = [...limits];
      if (lastResetAt) row.lastResetAt = lastResetAt;
      await manager.save(row);
    },
    async documents() {
      const providers = await manager.findBy(ProviderEntity, where);
      return providers.map(({ slug }) => documentKey.provider(workspaceId, slug));
    },
  };
}

async function policyOwner(manager: EntityManager, id: string): Promise<BudgetOwner | null> {
  const row = await manager.findOne(UsageLimitPolicyEntity, { where: { id, status: 'active' }, lock: LOCK });
  if (row === null) return null;
  const { organisationId, workspaceId, name } = row;
  const limit = policyUsageLimit(row);
  return {
    ...{ scope: 'policy', id, name, organisationId, workspaceId, resourceType: 'policies' },
    limits: [limit],
    rules: usageLimitRules(limit, row.lastResetAt),
    async save([changed], lastResetAt) {
      const next = changed?.next_usage_reset_at ?? null;
      row.nextUsageResetAt = next === null ? null : new Date(next);
      if (lastResetAt) row.lastResetAt = lastResetAt;
      await manager.save(row);
    },
    documents: () => Promise.resolve([documentKey.workspace(workspaceId)]),
  };
}

type Status = ApiKeyEntity['status'];

const withBudget = (status: Status, limit: StoredUsageLimit | undefined): Status => {
  if (status !== 'active' && status !== 'exhausted') return status;
  return limit?.status === 'exhausted' ? 'exhausted' : 'active';
};
