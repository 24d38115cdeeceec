import { documentKey, type DocumentKey } from '@gw/contracts';
import {
  AgentCardEntity,
  AgentIntegrationEntity,
  AgentIntegrationWorkspaceEntity,
  AgentServerEntity,
  AgentServerSkillEntity,
  AgentServerUserEntity,
  GuardrailAgentServerEntity,
} from '@gw/entities';
import { Any, Not, type EntityManager } from 'typeorm';
import { endGrantsOfTargets } from './grant-ends';
import type { AuditCaller } from '../unit-of-work/audit-recorder';
import type { Write } from '../unit-of-work/writes';
import { availableBy, type IntegrationKind } from '../upstreams/usable-integrations';
import { integrationReach } from './integration-reach';

/** Decides which agent integrations a caller may reach. */
export const AGENT_REACH = integrationReach('agent_integrations');

/** Decides which agent integrations a caller may reach to read and change their skills. */
export const AGENT_SKILL_REACH = integrationReach('agent_integrations', 'agent_integration_skills');

export const AGENT_INTEGRATION: IntegrationKind<AgentIntegrationEntity> = {
  ...{ entity: AgentIntegrationEntity, table: 'agent_integrations', reach: AGENT_REACH },
  available: availableBy('agent_integration_workspaces'),
};

type AgentReferences = Pick<AgentServerEntity, 'workspaceId' | 'slug' | 'id'>;

/** Returns the document keys of an agent; gateways find it by its slug and by its id. */
export const agentServerKeys = ({ workspaceId, slug, id }: AgentReferences): DocumentKey[] => [
  documentKey.agentServer(workspaceId, slug),
  documentKey.agentServer(workspaceId, id),
];

/** Returns the document keys of the catalogues that list the agents, each once. */
export const agentCatalogueKeys = (rows: readonly Pick<AgentServerEntity, 'workspaceId'>[]): DocumentKey[] =>
  [...new Set(rows.map(({ workspaceId }) => workspaceId))].map(documentKey.agentCatalogue);

/** Returns the agents of the integrations that are not archived. */
export const liveAgentServers = (
  manager: EntityManager,
  integrations: readonly Pick<AgentIntegrationEntity, 'id'>[],
): Promise<AgentServerEntity[]> =>
  integrations.length === 0
    ? Promise.resolve([])
    : manager.findBy(AgentServerEntity, {
        integrationId: Any(integrations.map(({ id }) => id)),
        status: Not('archived'),
      });

/**
 * Returns the document keys of all agents of the integrations and of the catalogues that list them.
 */
export async function keysOfAgents(
  manager: EntityManager,
  ...integrations: readonly Pick<AgentIntegrationEntity, 'id'>[]
): Promise<DocumentKey[]> {
  const rows = await liveAgentServers(manager, integrations);
  return [...rows.flatMap(agentServerKeys), ...agentCatalogueKeys(rows)];
}

/** Returns the document keys of the agents whose calls a guardrail checks. */
export async function keysOfGuardedAgents(
  manager: EntityManager,
  { id: guardrailId }: { readonly id: string },
): Promise<DocumentKey[]> {
  const mappings = await manager.findBy(GuardrailAgentServerEntity, { guardrailId });
  if (mappings.length === 0) return [];
  const id = Any(mappings.map(({ serverId }) => serverId));
  return (await manager.findBy(AgentServerEntity, { id, status: Not('archived') })).flatMap(agentServerKeys);
}

/**
 * Deletes the dependent rows of ended agents: user access, skill switches and guardrail mappings.
 */
export async function deletePartsOfAgents(
  { manager }: Pick<Write, 'manager'>,
  ids: readonly string[],
): Promise<void> {
  const serverId = Any(ids);
  await manager.delete(AgentServerUserEntity, { serverId });
  await manager.delete(AgentServerSkillEntity, { serverId });
  await manager.delete(GuardrailAgentServerEntity, { serverId });
}

/**
 * Archives the given agents, deletes their dependent rows, ends the grants for them, and marks
 * their documents as removed.
 */
export async function archiveAgentServers(write: Write, rows: readonly AgentServerEntity[]): Promise<void> {
  const { manager } = write;
  const ids = rows.map(({ id }) => id);
  await deletePartsOfAgents(write, ids);
  await manager.update(AgentServerEntity, { id: Any(ids) }, { status: 'archived' });
  await endGrantsOfTargets(write, ids);
  for (const { id: resourceId, workspaceId } of rows)
    write.audit({ action: 'delete', resourceType: 'agent_servers', resourceId, workspaceId });
  write.removed(rows.flatMap(agentServerKeys));
  write.changed(agentCatalogueKeys(rows));
}

/**
 * Archives the agents and agent integrations of a deleted workspace. Erases the secrets and cards
 * of these integrations, and withdraws the integrations of the organisation from the workspace.
 */
export async function archiveAgentsOf(write: Write, workspaceId: string): Promise<void> {
  const { manager } = write;
  const live = { workspaceId, status: 'active' } as const;
  await archiveAgentServers(write, await manager.findBy(AgentServerEntity, live));
  const integrations = await manager.find(AgentIntegrationEntity, { where: live, select: { id: true } });
  await manager.update(AgentIntegrationEntity, live, { status: 'archived', sealedAuth: null });
  await manager.delete(AgentIntegrationWorkspaceEntity, { workspaceId });
  await manager.delete(AgentCardEntity, { integrationId: Any(integrations.map(({ id }) => id)) });
  for (const { id: resourceId } of integrations)
    write.audit({ action: 'delete', resourceType: 'agent_integrations', resourceId, workspaceId });
}

/** SQL query for the ids of the agents of an organisation, or of one of its workspaces. */
const AGENT_IDS = `SELECT s.id FROM agent_servers s
  WHERE s.organisation_id = :organisationId
    AND (CAST(:workspaceId AS uuid) IS NULL OR s.workspace_id = :workspaceId)`;

/**
 * Deletes a user's access exceptions at agents when the user leaves the workspace or, without a
 * workspace, the organisation.
 */
export async function endAgentAccess(
  write: Write<AuditCaller>,
  user: { readonly organisationId: string; readonly userId: string; readonly workspaceId?: string },
): Promise<void> {
  const { manager } = write;
  const { organisationId, userId, workspaceId = null } = user;
  const ended = await manager
    .createQueryBuilder()
    .delete()
    .from(AgentServerUserEntity)
    .where(`user_id = :userId AND server_id IN (${AGENT_IDS})`, { organisationId, workspaceId, userId })
    .returning('server_id')
    .execute();
  const ids = (ended.raw as readonly { readonly server_id: string }[]).map(({ server_id }) => server_id);
  if (ids.length === 0) return;
  const rows = await manager.findBy(AgentServerEntity, { id: Any(ids), status: Not('archived') });
  write.changed(rows.flatMap(agentServerKeys));
}
