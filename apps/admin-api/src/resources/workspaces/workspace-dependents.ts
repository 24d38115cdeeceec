import { documentKey, type DocumentKey } from '@gw/contracts';
import {
  AgentIntegrationEntity,
  AgentServerEntity,
  ApiKeyEntity,
  ApiKeySecretEntity,
  ConfigEntity,
  GuardrailEntity,
  IntegrationEntity,
  IntegrationWorkspaceEntity,
  McpIntegrationEntity,
  McpServerEntity,
  McpToolsetEntity,
  PromptEntity,
  ProviderEntity,
  RateLimitPolicyEntity,
  UsageLimitPolicyEntity,
  WorkspaceUserEntity,
} from '@gw/entities';
import type { ErrorDetail } from '@gw/kernel';
import { Any, Not, type EntityManager, type FindOptionsWhere } from 'typeorm';
import type { QueryDeepPartialEntity } from 'typeorm/query-builder/QueryPartialEntity';
import { secretKeysOf } from '../../platform/keys/api-key-secrets.service';
import { FOR_UPDATE, type Write } from '../../platform/unit-of-work/writes';
import { archiveProviders, LIVE_PROVIDER } from '../../platform/rows/integrations.queries';
import { archiveAgentsOf } from '../../platform/rows/agent-rows';
import { archiveMcpOf } from '../../platform/rows/mcp-rows';
import { archivePromptsOf } from '../../platform/rows/prompts-of-workspace';

/**
 * Kinds of dependent resources. Partials count as prompts. Virtual keys count as providers; callers
 * cannot delete their hidden integrations.
 */
const KINDS = [
  ['api_keys', ApiKeyEntity, {}],
  ['integrations', IntegrationEntity, { isVirtualKey: false }],
  ['providers', ProviderEntity, {}],
  ['configs', ConfigEntity, {}],
  ['guardrails', GuardrailEntity, {}],
  ['mcp_integrations', McpIntegrationEntity, {}],
  ['mcp_servers', McpServerEntity, {}],
  ['agent_integrations', AgentIntegrationEntity, {}],
  ['agent_servers', AgentServerEntity, {}],
  ['mcp_toolsets', McpToolsetEntity, {}],
  ['prompts', PromptEntity, {}],
  ['usage_limit_policies', UsageLimitPolicyEntity, {}],
  ['rate_limit_policies', RateLimitPolicyEntity, {}],
] as const;

/**
 * Returns the number of live resources of the workspace by kind, as error details; leaves out kinds
 * without resources.
 */
export async function dependentsOf(manager: EntityManager, workspaceId: string): Promise<ErrorDetail[]> {
  const dependents: ErrorDetail[] = [];
  for (const [path, entity, more] of KINDS) {
    const count = await manager.countBy(entity, { workspaceId, status: Not('archived'), ...more });
    if (count > 0) dependents.push({ path, message: `${String(count)} left` });
  }
  return dependents;
}

/** Archives all resources of the workspace, erases its secrets, and publishes the removals. */
export async function archiveDependents(write: Write, workspaceId: string): Promise<void> {
  const { manager } = write;
  const removedAs =
    (keyOf: (owner: string, reference: string) => DocumentKey) =>
    (row: { readonly id: string; readonly slug: string }): DocumentKey[] => [
      keyOf(workspaceId, row.id),
      keyOf(workspaceId, row.slug),
    ];
  // The end of a membership also locks the membership before the keys, and each key before its
  // secrets.
  await manager.delete(WorkspaceUserEntity, { workspaceId });
  await archiveApiKeys(write, workspaceId);
  const providers = await manager.findBy(ProviderEntity, { workspaceId, status: LIVE_PROVIDER });
  await archiveProviders(write, providers);
  await archiveIntegrations(write, workspaceId);
  write.removed(
    (await archiveActive(write, workspaceId, 'configs', ConfigEntity)).flatMap(removedAs(documentKey.config)),
    (await archiveActive(write, workspaceId, 'guardrails', GuardrailEntity)).flatMap(
      removedAs(documentKey.guardrail),
    ),
    (await archiveActive(write, workspaceId, 'mcp_toolsets', McpToolsetEntity)).flatMap(
      removedAs(documentKey.mcpToolset),
    ),
  );
  await archiveMcpOf(write, workspaceId);
  await archiveAgentsOf(write, workspaceId);
  write.removed(documentKey.mcpCatalogue(workspaceId));
  await archivePromptsOf(write, workspaceId);
  // The document of the workspace contains its policies; the caller removes that document.
  await archiveActive(write, workspaceId, 'policies', UsageLimitPolicyEntity);
  await archiveActive(write, workspaceId, 'policies', RateLimitPolicyEntity);
  await manager.delete(IntegrationWorkspaceEntity, { workspaceId });
}

async function archiveApiKeys(write: Write, workspaceId: string): Promise<void> {
  const { manager } = write;
  const live = { workspaceId, status: Not('archived' as const) };
  const keys = await manager.find(ApiKeyEntity, {
    ...{ where: live, select: { id: true }, order: { id: 'ASC' }, lock: FOR_UPDATE },
  });
  const ids = keys.map(({ id }) => id);
  write.removed(await secretKeysOf(manager, ids));
  await manager.delete(ApiKeySecretEntity, { apiKeyId: Any(ids) });
  await manager.update(ApiKeyEntity, live, { status: 'archived' });
  auditDeletions(write, workspaceId, 'api_keys', keys);
}

/**
 * Archives the integrations, including the hidden ones of virtual keys, and erases their secrets.
 */
async function archiveIntegrations(write: Write, workspaceId: string): Promise<void> {
  const { manager } = write;
  const live = { workspaceId, status: 'active' } as const;
  const rows = await manager.find(IntegrationEntity, {
    where: live,
    select: { id: true, isVirtualKey: true },
  });
  await manager.update(IntegrationEntity, live, { status: 'archived', sealedCredential: null });
  const shown = rows.filter(({ isVirtualKey }) => !isVirtualKey);
  auditDeletions(write, workspaceId, 'integrations', shown);
}

interface Archivable {
  readonly id: string;
  workspaceId: string | null;
  status: 'active' | 'archived';
}

/** Archives the active rows of one table and returns them as they were before. */
async function archiveActive<R extends Archivable>(
  write: Write,
  workspaceId: string,
  resourceType: string,
  entity: new () => R,
): Promise<R[]> {
  const active = { workspaceId, status: 'active' } as FindOptionsWhere<R>;
  const rows = await write.manager.findBy(entity, active);
  const archived = { status: 'archived' } as object as QueryDeepPartialEntity<R>;
  await write.manager.update(entity, active, archived);
  auditDeletions(write, workspaceId, resourceType, rows);
  return rows;
}

function auditDeletions(
  write: Write,
  workspaceId: string,
  resourceType: string,
  rows: readonly { readonly id: string }[],
): void {
  for (const { id } of rows) {
    write.audit({ action: 'delete', resourceType, resourceId: id, workspaceId });
  }
}
