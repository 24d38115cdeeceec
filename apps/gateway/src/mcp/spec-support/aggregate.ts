import { randomUUID } from 'node:crypto';
import {
  documentKey,
  type McpServerDocument,
  type McpToolsetDocument,
  type McpToolsetMember,
} from '@gw/contracts';
import { ORGANISATION_ID, WORKSPACE_ID, type GatewayHarness } from '../../spec-support/harness';

/** A member of a toolset with everything that its server offers. */
export const member = (
  { id, slug }: Pick<McpServerDocument, 'id' | 'slug'>,
  over: Partial<McpToolsetMember> = {},
): McpToolsetMember => ({
  ...{ serverId: id, server: slug, prefix: null, include: [], exclude: [], aliases: {}, overrides: {} },
  ...over,
});

/** Saves a toolset, as a change of the control plane does, and returns it. */
export function saveToolset(
  { documents }: GatewayHarness,
  over: Partial<McpToolsetDocument> & Pick<McpToolsetDocument, 'slug' | 'members'>,
): McpToolsetDocument {
  const saved: McpToolsetDocument = {
    ...{ kind: 'mcp_toolset', id: randomUUID(), name: over.slug, instructions: null },
    ...{ organisationId: ORGANISATION_ID, workspaceId: WORKSPACE_ID, mode: 'list', failure: 'partial' },
    ...over,
    version: randomUUID(),
  };
  for (const name of [saved.slug, saved.id])
    documents.set(documentKey.mcpToolset(saved.workspaceId, name), saved);
  return saved;
}

/** Saves which servers the workspace has. */
export function saveCatalogue(
  { documents }: GatewayHarness,
  servers: readonly Pick<McpServerDocument, 'id' | 'slug'>[],
  workspaceId = WORKSPACE_ID,
): void {
  documents.set(documentKey.mcpCatalogue(workspaceId), {
    ...{ kind: 'mcp_catalogue', version: randomUUID(), organisationId: ORGANISATION_ID, workspaceId },
    servers: servers.map(({ id, slug }) => ({ id, slug })),
  });
}
