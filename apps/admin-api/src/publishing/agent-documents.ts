import {
  agentAuthBinding,
  type AgentAccessRule,
  type AgentCatalogueDocument,
  type AgentServerDocument,
  type DocumentKey,
  type ReadModelDocument,
} from '@gw/contracts';
import type { AgentIntegrationEntity, AgentServerEntity } from '@gw/entities';
import { UUID } from '@gw/kernel';
import type { EntityManager } from 'typeorm';
import { cardWith, extendedCardWith, type ApprovedCard } from '../platform/agents/approved-cards.queries';
import type { CredentialsService } from '../platform/credentials/credentials.service';
import type { SecretAccess } from '../platform/credentials/secret-access';
import { availableAgents, catalogues, partsOfAgents, type AgentParts } from './agent-documents.queries';
import { versioned } from './document-builders';
import { referencesOf, type WantedServer } from './upstream-references';

type Documents = Map<DocumentKey, ReadModelDocument>;

/**
 * Adds the documents of agents by slug or id. Leaves out agents whose integration the workspace may
 * not use or has no approved card.
 */
export async function addAgentServers(
  manager: EntityManager,
  wanted: readonly WantedServer[],
  to: Documents,
  credentials: CredentialsService,
  secrets: SecretAccess,
): Promise<void> {
  if (wanted.length === 0) return;
  const servers = await availableAgents(manager, {
    workspaceIds: wanted.map(({ workspaceId }) => workspaceId),
    names: wanted.map(({ name }) => name),
    ids: wanted.map(({ name }) => name).filter((name) => UUID.test(name)),
  });
  if (servers.length === 0) return;
  const parts = await partsOfAgents(manager, servers);
  const references = await referencesOf(manager, [...parts.integrations.values()]);
  // Ids come last, because a slug may look like the id of another agent.
  const byName = new Map([
    ...servers.map((row) => [`${row.workspaceId}:${row.slug}`, row] as const),
    ...servers.map((row) => [`${row.workspaceId}:${row.id}`, row] as const),
  ]);
  for (const { key, workspaceId, name } of wanted) {
    const row = byName.get(`${workspaceId}:${name}`);
    const integration = row && parts.integrations.get(row.integrationId);
    const card = row && parts.cards.get(row.integrationId);
    if (!integration || !card) continue;
    const uses = secrets.usesOf(integration.secretMappings ?? [], references, workspaceId);
    const { sealedAuth, version } = credentials.sealForUpstream(integration, agentAuthBinding, uses);
    const document = agentServerDocument(row, integration, card, parts, version);
    if (document !== null) to.set(key, { ...document, sealedAuth });
  }
}

/**
 * Returns the document of an agent; null without an approved endpoint. `authVersion` stands for the
 * sealed member in the version of the document, since sealing the same secret again gives another
 * text.
 */
function agentServerDocument(
  row: AgentServerEntity,
  integration: AgentIntegrationEntity,
  card: ApprovedCard,
  parts: AgentParts,
  authVersion: string,
): AgentServerDocument | null {
  const { approvedEndpoint: endpoint } = integration;
  if (endpoint === null) return null;
  const off = parts.disabled.get(row.id) ?? new Set<string>();
  const isOn = ({ id }: { readonly id: string }): boolean => !off.has(id);
  const extended = extendedCardWith(card, isOn);
  return versioned<AgentServerDocument>(
    {
      kind: 'agent_server',
      id: row.id,
      slug: row.slug,
      name: row.name,
      organisationId: row.organisationId,
      workspaceId: row.workspaceId,
      integrationId: integration.id,
      integrationSlug: integration.slug,
      endpoint,
      authType: integration.authType,
      configurations: integration.configurations,
      sealedAuth: null,
      card: JSON.stringify(cardWith(card, isOn)),
      extendedCard: extended && JSON.stringify(extended),
      skills: card.skills.filter(isOn).map(({ id, name }) => ({ id, skillId: name })),
      userAccess: {
        isAllowed: row.defaultUserAccess === 'allow',
        exceptions: parts.users.get(row.id) ?? {},
      },
      rules: row.accessRules as object[] as AgentAccessRule[],
      defaultEffect: row.defaultEffect,
      guardrails: (parts.guardrails.get(row.id) ?? []).map(({ guardrailId, runOn, capabilityIds }) => ({
        guardrailId,
        runOn,
        skillIds: capabilityIds,
      })),
      push: integration.push,
      isListed: row.listed === 'public',
      prices: integration.prices,
      limits: {
        timeoutMs: integration.timeoutMs,
        messagesPerContextHour: integration.messagesPerContextHour,
      },
    },
    authVersion,
  );
}

/** Adds the agent catalogues of workspaces. */
export async function addAgentCatalogues(
  manager: EntityManager,
  wanted: readonly { readonly key: DocumentKey; readonly id: string }[],
  to: Documents,
): Promise<void> {
  if (wanted.length === 0) return;
  const found = await catalogues(
    manager,
    wanted.map(({ id }) => id),
  );
  for (const { key, id: workspaceId } of wanted) {
    const catalogue = found.get(workspaceId);
    if (catalogue === undefined) continue;
    const { organisationId, slugs } = catalogue;
    to.set(
      key,
      versioned<AgentCatalogueDocument>({ kind: 'agent_catalogue', organisationId, workspaceId, slugs }),
    );
  }
}
