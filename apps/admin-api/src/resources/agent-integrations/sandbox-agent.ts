import { readCard, SANDBOX_AGENT_CARD, SANDBOX_AGENT_ORIGIN } from '@gw/a2a';
import { sandboxAgentPolicy } from '@gw/a2a-client';
import { AgentIntegrationEntity, AgentServerEntity, AgentSkillEntity, WorkspaceEntity } from '@gw/entities';
import { createAddressPolicy, uuidv7 } from '@gw/kernel';
import type { DataSource, EntityManager } from 'typeorm';
import { agentCatalogueKeys, agentServerKeys } from '../../platform/rows/agent-rows';
import { ChangeRecorder } from '../../platform/unit-of-work/change-recorder';
import { changesOf } from '../../platform/upstreams/capability-changes';
import { nextReading } from '../../platform/upstreams/upstream-readings';
import { fittingCard, rulesOf, snapshotOf, type CardRow } from './agent-card-content';

const NAME = 'Sandbox';
const SLUG = 'sandbox';
const SETTINGS: CardRow = {
  ...{ url: SANDBOX_AGENT_ORIGIN, allowOtherOrigin: false, trustedKeysUrl: null, trustedKeys: null },
  ...({ protocol: 'auto', binding: 'auto' } as const),
};

/**
 * Registers the sandbox agent in a workspace that has never had an agent with its slug, with its
 * skill approved, so that it can be called immediately. An agent that a user deleted or changed
 * stays as it is. Returns whether it was added.
 */
export const ensureSandboxAgent = (dataSource: DataSource, workspaceId: string): Promise<boolean> =>
  dataSource.transaction(async (manager) => {
    if (await manager.existsBy(AgentServerEntity, { workspaceId, slug: SLUG })) return false;
    const { organisationId } = await manager.findOneByOrFail(WorkspaceEntity, { id: workspaceId });
    const integrationId = await saveIntegration(manager, { organisationId, workspaceId });
    const server = await manager.save(
      manager.create(AgentServerEntity, {
        ...{ id: uuidv7(), organisationId, workspaceId, integrationId, slug: SLUG, name: NAME },
        ...{ description: 'Built in; it repeats messages and needs no account.', listed: 'workspace' },
      }),
    );
    const changed = [...agentServerKeys(server), ...agentCatalogueKeys([server])];
    await new ChangeRecorder().record(manager, { changed });
    return true;
  });

async function saveIntegration(
  manager: EntityManager,
  owner: { readonly organisationId: string; readonly workspaceId: string },
): Promise<string> {
  const id = uuidv7();
  const taken = { organisationId: owner.organisationId, slug: SLUG, status: 'active' } as const;
  const isTaken = await manager.existsBy(AgentIntegrationEntity, taken);
  const policy = sandboxAgentPolicy(createAddressPolicy({ trustedHosts: [] }));
  const card = fittingCard(SETTINGS, readCard(SANDBOX_AGENT_CARD, rulesOf(SETTINGS, policy)), policy);
  const now = new Date();
  const integration = await manager.save(
    manager.create(AgentIntegrationEntity, {
      ...{ id, ...owner, ...SETTINGS, slug: isTaken ? `${SLUG}-${id.slice(-12)}` : SLUG, name: NAME },
      ...({ source: 'fetched', authType: 'none', approvalMode: 'auto' } as const),
      card: card.text,
      ...{ endpoint: card.endpoint, approvedEndpoint: card.endpoint },
      ...({ syncStatus: 'synced', lastSyncedAt: now, nextSyncAt: nextReading() } as const),
    }),
  );
  const unread = { ...integration, lastSyncedAt: null };
  const comparison = { otherNames: [], now };
  const { rows } = await changesOf(AgentSkillEntity, unread, [], snapshotOf(card, null), comparison);
  await manager.save(AgentSkillEntity, [...rows]);
  return id;
}
