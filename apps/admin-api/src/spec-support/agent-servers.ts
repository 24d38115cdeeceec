import { AgentIntegrationEntity, AgentServerEntity, AgentSkillEntity } from '@gw/entities';
import { uuidv7 } from '@gw/kernel';
import { capabilityDigest } from '@gw/mcp';
import type { EntityManager } from 'typeorm';
import { nameDigestOf } from '../platform/upstreams/capability-changes';

interface Owner {
  readonly organisationId: string;
  readonly workspaceId: string;
}

const ENDPOINT = {
  ...{ url: 'https://agent.example.com/rpc', binding: 'JSONRPC', version: '0.3', tenant: null },
} as const;
const CARD = { name: 'Agent', description: 'Helps.', url: ENDPOINT.url, version: '1.0.0' };
const SKILL = { id: 'read', name: 'Read', description: 'Reads.', tags: ['read'] };

let count = 0;

/**
 * Inserts an agent integration of the organisation that all its workspaces may use, with one
 * approved skill, `read`.
 */
export async function insertAgentIntegration(
  manager: EntityManager,
  { organisationId }: Pick<Owner, 'organisationId'>,
  more: Partial<AgentIntegrationEntity> = {},
): Promise<AgentIntegrationEntity> {
  count += 1;
  const row = await manager.save(
    Object.assign(new AgentIntegrationEntity(), {
      ...{ id: uuidv7(), organisationId, workspaceId: null, slug: `agent-upstream-${String(count)}` },
      ...{ name: 'Upstream', url: 'https://agent.example.com', source: 'fetched', authType: 'none' },
      ...{ approvalMode: 'auto', globalWorkspaceAccess: { enabled: true } },
      card: JSON.stringify({ ...CARD, skills: [SKILL] }),
      ...{ endpoint: ENDPOINT, approvedEndpoint: ENDPOINT, ...more },
    }),
  );
  await insertSkill(manager, row.id, 'agent', '@agent', CARD);
  await insertSkill(manager, row.id, 'skill', SKILL.id, SKILL);
  return row;
}

/** Inserts an approved skill, or the card itself. */
export const insertSkill = (
  manager: EntityManager,
  integrationId: string,
  type: 'agent' | 'skill',
  name: string,
  definition: Record<string, unknown>,
): Promise<AgentSkillEntity> =>
  manager.save(
    manager.create(AgentSkillEntity, {
      ...{ id: uuidv7(), integrationId, type, name, nameDigest: nameDigestOf(name), position: 0 },
      ...{ definition, approved: definition, digest: capabilityDigest(type, definition) },
      ...{ state: 'approved', findings: [], enabled: true },
    }),
  );

/** Inserts an agent of the workspace. */
export function insertAgentServer(
  manager: EntityManager,
  { organisationId, workspaceId }: Owner,
  integrationId: string,
  more: Partial<AgentServerEntity> = {},
): Promise<AgentServerEntity> {
  count += 1;
  return manager.save(
    manager.create(AgentServerEntity, {
      ...{ id: uuidv7(), organisationId, workspaceId, integrationId },
      ...{ slug: `agent-${String(count)}`, name: 'Agent', ...more },
    }),
  );
}
