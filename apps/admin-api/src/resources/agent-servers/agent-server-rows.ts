import { AgentServerEntity, type AgentSkillEntity } from '@gw/entities';
import { randomHex } from '@gw/kernel';
import { mcpPlaceOf, ssePlaceOf } from '@gw/oauth';
import { invalid } from '@gw/web';
import { In, IsNull, type EntityManager, type FindOptionsWhere } from 'typeorm';
import { byReference, inWorkspace, isUuid, reach } from '../../platform/auth/tenancy';
import type { Principal } from '../../platform/common/principal';
import { assertSlugFree } from '../../platform/common/slugs';
import { slugOf } from '../../platform/common/text';
import type { Resource } from '../../platform/resource/rows';
import { agentCatalogueKeys, agentServerKeys } from '../../platform/rows/agent-rows';
import { toAuditedAgentServer } from './agent-servers.view';

/**
 * Returns the condition for an agent that a path names. Slugs are unique only within a workspace,
 * so a slug requires the workspace. An id is enough for a credential of the whole organisation.
 */
const whereOf = (caller: Principal, reference: string): FindOptionsWhere<AgentServerEntity> => ({
  ...(isUuid(reference) ? reach(caller) : inWorkspace(caller)),
  ...byReference(reference),
  status: 'active',
});

export const AGENT_SERVER: Resource<AgentServerEntity> = {
  entity: AgentServerEntity,
  type: 'agent_servers',
  view: toAuditedAgentServer,
  where: whereOf,
  documents: agentServerKeys,
  changes: (row) => agentCatalogueKeys([row]),
};

/**
 * Returns a condition for the approved skills of the agent, including those that are switched off.
 */
export const approvedSkillsOf = ({
  integrationId,
}: Pick<AgentServerEntity, 'integrationId'>): FindOptionsWhere<AgentSkillEntity> => ({
  ...{ integrationId, type: 'skill', state: In(['approved', 'serve_approved']), goneAt: IsNull() },
});

/**
 * Maximum length of the name part of a slug; leaves room for the random part within 50 characters.
 */
const SLUG_BASE_MAX = 43;

/** Whether the URL of an agent with the slug is that of an MCP server, which may be named `agents`. */
function isReserved(slug: string): boolean {
  const path = `/workspace/agents/${slug.toLowerCase()}`;
  return mcpPlaceOf(path) !== undefined || ssePlaceOf(path) !== undefined;
}

/**
 * Returns the slug of a new agent. Throws `validation_failed` for a reserved slug, and `conflict`
 * when the workspace already uses it.
 */
export async function newSlug(
  manager: EntityManager,
  workspaceId: string,
  { name, slug: requestedSlug }: { readonly name: string; readonly slug?: string | undefined },
): Promise<string> {
  if (requestedSlug !== undefined && isReserved(requestedSlug))
    throw invalid('slug', 'slug must not be mcp, sse or messages; choose another one');
  const slug = requestedSlug ?? `${slugOf(name, SLUG_BASE_MAX)}-${randomHex(3)}`;
  await assertSlugFree(manager, AgentServerEntity, { workspaceId, slug, status: 'active' });
  return slug;
}
