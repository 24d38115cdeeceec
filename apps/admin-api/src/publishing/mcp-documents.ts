import {
  isOfUsers,
  mcpAuthBinding,
  type DocumentKey,
  type McpAccessRule,
  type McpGuardrailMapping,
  type McpServerDocument,
  type ReadModelDocument,
} from '@gw/contracts';
import type { McpIntegrationEntity, McpServerEntity } from '@gw/entities';
import { UUID } from '@gw/kernel';
import type { EntityManager } from 'typeorm';
import type { CredentialsService } from '../platform/credentials/credentials.service';
import type { SecretAccess } from '../platform/credentials/secret-access';
import {
  availableServers,
  offerOf,
  partsOfServers,
  type McpParts,
} from '../platform/mcp/mcp-server-parts.queries';
import { versioned } from './document-builders';
import { referencesOf, type WantedServer } from './upstream-references';

/**
 * Adds the documents of MCP servers by slug or id. Leaves out servers whose integration the
 * workspace may not use.
 */
export async function addMcpServers(
  manager: EntityManager,
  wanted: readonly WantedServer[],
  to: Map<DocumentKey, ReadModelDocument>,
  credentials: CredentialsService,
  secrets: SecretAccess,
): Promise<void> {
  if (wanted.length === 0) return;
  const servers = await availableServers(manager, {
    workspaceIds: wanted.map(({ workspaceId }) => workspaceId),
    names: wanted.map(({ name }) => name),
    ids: wanted.map(({ name }) => name).filter((name) => UUID.test(name)),
  });
  if (servers.length === 0) return;
  const parts = await partsOfServers(manager, servers);
  const references = await referencesOf(manager, [...parts.integrations.values()]);
  // Ids come last, because a slug may look like the id of another server.
  const byName = new Map([
    ...servers.map((row) => [`${row.workspaceId}:${row.slug}`, row] as const),
    ...servers.map((row) => [`${row.workspaceId}:${row.id}`, row] as const),
  ]);
  for (const { key, workspaceId, name } of wanted) {
    const row = byName.get(`${workspaceId}:${name}`);
    const integration = row && parts.integrations.get(row.integrationId);
    if (!integration) continue;
    const uses = secrets.usesOf(integration.secretMappings ?? [], references, workspaceId);
    const { sealedAuth, version } = credentials.sealForUpstream(integration, mcpAuthBinding, uses);
    const document = mcpServerDocument(row, integration, parts, version);
    // Only the control plane obtains tokens of users, so gateways need no credential for them.
    to.set(key, isOfUsers(document.authType) ? document : { ...document, sealedAuth });
  }
}

/**
 * Returns the document of a server. `sealed` stands for the sealed member, since sealing the same
 * secret again gives another text.
 */
const mcpServerDocument = (
  row: McpServerEntity,
  integration: McpIntegrationEntity,
  parts: McpParts,
  sealed: string,
): McpServerDocument =>
  versioned<McpServerDocument>(
    {
      kind: 'mcp_server',
      id: row.id,
      slug: row.slug,
      name: row.name,
      organisationId: row.organisationId,
      workspaceId: row.workspaceId,
      integrationId: integration.id,
      integrationSlug: integration.slug,
      ...(integration.kind === 'openapi' && { integrationKind: integration.kind }),
      url: integration.url,
      transport: integration.transport,
      authType: integration.authType,
      configurations: integration.configurations,
      sealedAuth: null,
      timeoutMs: integration.timeoutMs,
      server: serverFactsOf(integration),
      ...offerOf(row, parts),
      userAccess: {
        isAllowed: row.defaultUserAccess === 'allow',
        exceptions: Object.fromEntries(
          (parts.users.get(row.id) ?? []).map(({ userId, enabled }) => [userId, enabled]),
        ),
      },
      rules: row.accessRules as object[] as McpAccessRule[],
      defaultEffect: row.defaultEffect,
      guardrails: guardrailsOf(row, parts),
      prices: integration.prices,
    },
    sealed,
  );

function serverFactsOf({ approvedServer }: McpIntegrationEntity): McpServerDocument['server'] {
  if (approvedServer === null) return null;
  const { name, version, title, instructions, capabilities } = approvedServer;
  return { name, version, title, instructions, capabilities };
}

/**
 * Returns the guardrails of a server: first those of the organisation, then those of the workspace,
 * each group in the order of its mappings.
 */
const guardrailsOf = ({ id }: McpServerEntity, parts: McpParts): McpGuardrailMapping[] =>
  (parts.guardrails.get(id) ?? []).map(({ guardrailId, runOn, capabilityIds }) => ({
    guardrailId,
    runOn,
    capabilityIds,
  }));
