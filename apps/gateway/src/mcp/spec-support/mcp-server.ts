import { randomUUID } from 'node:crypto';
import { documentKey, type McpCapabilityFacts, type McpServerDocument } from '@gw/contracts';
import { createAddressPolicy, parseTrustedHosts } from '@gw/kernel';
import { capabilityName, NO_CAPABILITIES } from '@gw/mcp';
import { EraVerdicts, McpUpstream, withSandbox } from '@gw/mcp-client';
import { OutboundClient } from '@gw/outbound';
import { ORGANISATION_ID, WORKSPACE_ID, type GatewayHarness } from '../../spec-support/harness';

const LISTS = [
  ['tools', 'tool'],
  ['prompts', 'prompt'],
  ['resources', 'resource'],
  ['templates', 'resource_template'],
] as const;

/**
 * Returns the document that the control plane writes for an upstream, with all listed items
 * approved.
 */
export async function serverDocument(
  url: URL,
  slug: string,
  over: Partial<McpServerDocument> = {},
): Promise<McpServerDocument> {
  const policy = createAddressPolicy({ trustedHosts: parseTrustedHosts('127.0.0.1') });
  const client = new OutboundClient({
    ...{ policy, maxConnectionsPerOrigin: 16, maxPools: 16, keepAliveTimeoutMs: 10_000 },
  });
  const upstream = new McpUpstream({
    ...withSandbox({ client, policy }),
    url,
    ...{ poolClass: 'spec', headers: () => ({}), capabilities: NO_CAPABILITIES },
    ...{
      clientInfo: { name: 'spec', version: '1' },
      protocol: over.transport === 'sse' ? 'sse' : 'auto',
      verdicts: new EraVerdicts(),
      eraKey: slug,
      // A server in the process of a busy test takes long to respond.
      timeouts: { connectMs: 60_000, discoverMs: 60_000 },
    },
  });
  try {
    const { serverInfo, capabilities: announced, instructions } = await upstream.describe();
    const capabilities: McpCapabilityFacts[] = [];
    for (const [list, type] of LISTS)
      for (const definition of (await upstream.list(list)).items)
        capabilities.push({ id: randomUUID(), type, name: capabilityName(type, definition), definition });
    return {
      ...{ kind: 'mcp_server', version: randomUUID(), id: randomUUID(), slug, name: slug },
      ...{ organisationId: ORGANISATION_ID, workspaceId: WORKSPACE_ID },
      ...{ integrationId: randomUUID(), integrationSlug: slug, url: url.href, transport: 'http' },
      ...{ authType: 'none', configurations: {}, sealedAuth: null, timeoutMs: null },
      server: {
        name: String(serverInfo['name']),
        version: String(serverInfo['version']),
        ...{ title: null, instructions, capabilities: announced },
      },
      capabilities,
      userAccess: { isAllowed: true, exceptions: {} },
      ...{ rules: [], defaultEffect: 'allow', guardrails: [], prices: null },
      ...over,
    };
  } finally {
    await upstream.close();
    client.close();
  }
}

/** Saves a server, as a change of the control plane does. */
export function saveServer(gateway: GatewayHarness, document: McpServerDocument): void {
  saveAtAll([gateway], document);
}

/** Saves the same version of a server at several gateways. */
export function saveAtAll(gateways: readonly GatewayHarness[], document: McpServerDocument): void {
  const saved = { ...document, version: randomUUID() };
  for (const { documents } of gateways)
    for (const name of [saved.slug, saved.id])
      documents.set(documentKey.mcpServer(saved.workspaceId, name), saved);
}
