import { documentKey } from '@gw/contracts';
import {
  ApiKeyEntity,
  ApiKeySecretEntity,
  ConfigEntity,
  GuardrailEntity,
  IntegrationEntity,
  IntegrationWorkspaceEntity,
  PromptEntity,
  ProviderEntity,
  RateLimitPolicyEntity,
  UsageLimitPolicyEntity,
  WorkspaceUserEntity,
} from '@gw/entities';
import { In, Not, type EntityManager } from 'typeorm';
import type { Write } from '../../platform/unit-of-work/writes';
import { archiveProviders, LIVE_PROVIDER } from '../../platform/rows/integrations.queries';
import { archivePromptsOf } from '../../platform/rows/prompts-of-workspace';

export interface DependentCount {
  readonly kind: string;
  readonly count: number;
}

/** Partials count as prompts. Virtual keys count as providers; their hidden integrations are nobody's to delete. */
const KINDS = [
  ['api_keys', ApiKeyEntity, {}],
  ['integrations', IntegrationEntity, { isVirtualKey: false }],
  ['providers', ProviderEntity, {}],
  ['configs', ConfigEntity, {}],
  ['guardrails', GuardrailEntity, {}],
  ['prompts', PromptEntity, {}],
  ['usage_limit_policies', UsageLimitPolicyEntity, {}],
  ['rate_limit_policies', RateLimitPolicyEntity, {}],
] as const;

/** Live resources of the workspace, by kind; kinds without any are left out. */
export async function countDependents(
  manager: EntityManager,
  workspaceId: string,
): Promise<DependentCount[]> {
  const counts: DependentCount[] = [];
  for (const [kind, entity, more] of KINDS) {
    const count = await manager.countBy(entity, { workspaceId, status: Not('archived'), ...more });
    if (count > 0) counts.push({ kind, count });
  }
  return counts;
}

/** Archives everything of the workspace, erases its secrets, and tells the gateways what is gone. */
export async function archiveDependents(write: Write, workspaceId: string): Promise<void> {
  await archiveApiKeys(write, workspaceId);
  await archiveProviders(
    write,
    await write.manager.findBy(ProviderEntity, { workspaceId, status: LIVE_PROVIDER }),
  );
  await archiveIntegrations(write, workspaceId);
  await archiveConfigs(write, workspaceId);
  await archiveGuardrails(write, workspaceId);
  await archivePromptsOf(write, workspaceId);
  await archivePolicies(write, workspaceId);
  await write.manager.delete(IntegrationWorkspaceEntity, { workspaceId });
  await write.manager.delete(WorkspaceUserEntity, { workspaceId });
}

async function archiveApiKeys(write: Write, workspaceId: string): Promise<void> {
  const { manager } = write;
  const live = { workspaceId, status: Not('archived' as const) };
  const keys = await manager.find(ApiKeyEntity, { where: live, select: { id: true } });
  const apiKeyId = In(keys.map(({ id }) => id));
  const secrets = await manager.findBy(ApiKeySecretEntity, { apiKeyId });
  await manager.delete(ApiKeySecretEntity, { apiKeyId });
  await manager.update(ApiKeyEntity, live, { status: 'archived' });
  auditDeletions(write, workspaceId, 'api_keys', keys);
  write.removed(...secrets.map(({ secretHash }) => documentKey.apiKey(secretHash)));
}

/** Hidden ones of virtual keys included: nothing opens their secrets again. */
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

async function archiveConfigs(write: Write, workspaceId: string): Promise<void> {
  const { manager } = write;
  const live = { workspaceId, status: 'active' } as const;
  const configs = await manager.find(ConfigEntity, { where: live, select: { id: true, slug: true } });
  await manager.update(ConfigEntity, live, { status: 'archived' });
  auditDeletions(write, workspaceId, 'configs', configs);
  write.removed(
    ...configs.flatMap(({ id, slug }) => [
      documentKey.config(workspaceId, id),
      documentKey.config(workspaceId, slug),
    ]),
  );
}

async function archiveGuardrails(write: Write, workspaceId: string): Promise<void> {
  const { manager } = write;
  const live = { workspaceId, status: 'active' } as const;
  const rows = await manager.find(GuardrailEntity, { where: live, select: { id: true, slug: true } });
  await manager.update(GuardrailEntity, live, { status: 'archived' });
  auditDeletions(write, workspaceId, 'guardrails', rows);
  write.removed(
    ...rows.flatMap(({ id, slug }) => [
      documentKey.guardrail(workspaceId, id),
      documentKey.guardrail(workspaceId, slug),
    ]),
  );
}

/** They are part of the workspace's document, which goes with it. */
async function archivePolicies(write: Write, workspaceId: string): Promise<void> {
  const live = { workspaceId, status: 'active' } as const;
  for (const entity of [UsageLimitPolicyEntity, RateLimitPolicyEntity]) {
    const rows = await write.manager.find(entity, { where: live, select: { id: true } });
    await write.manager.update(entity, live, { status: 'archived' });
    auditDeletions(write, workspaceId, 'policies', rows);
  }
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
