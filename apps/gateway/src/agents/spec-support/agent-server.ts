import { randomUUID } from 'node:crypto';
import { documentKey, type AgentInterfaceFacts, type AgentServerDocument } from '@gw/contracts';
import { AGENT_REST_PATH, AGENT_RPC_PATH, type AgentFixture } from '@gw/testing';
import { ORGANISATION_ID, WORKSPACE_ID, type GatewayHarness } from '../../spec-support/harness';

/**
 * Returns the document that the control plane writes for an agent of the fixture, with all skills
 * approved.
 */
export function agentDocument(
  { origin, card }: Pick<AgentFixture, 'origin' | 'card'>,
  slug: string,
  over: Partial<AgentServerDocument> = {},
  endpoint: Partial<Pick<AgentInterfaceFacts, 'version' | 'binding'>> = {},
): AgentServerDocument {
  const { version = '1.0', binding = 'JSONRPC' } = endpoint;
  const url = origin + (binding === 'JSONRPC' ? AGENT_RPC_PATH : AGENT_REST_PATH);
  const { skills } = JSON.parse(card) as { readonly skills: readonly { readonly id: string }[] };
  return {
    ...{ kind: 'agent_server', version: randomUUID(), id: randomUUID(), slug, name: slug },
    ...{ organisationId: ORGANISATION_ID, workspaceId: WORKSPACE_ID },
    ...{ integrationId: randomUUID(), integrationSlug: slug },
    endpoint: { url, binding, version, tenant: null },
    ...{ authType: 'none', configurations: {}, sealedAuth: null, card, extendedCard: null },
    skills: skills.map(({ id }) => ({ id: randomUUID(), skillId: id })),
    userAccess: { isAllowed: true, exceptions: {} },
    ...{ rules: [], defaultEffect: 'allow', guardrails: [], push: 'relay', isListed: false, prices: null },
    limits: { timeoutMs: null, messagesPerContextHour: null },
    ...over,
  };
}

/** Saves an agent, as a change of the control plane does. */
export function saveAgent({ documents }: GatewayHarness, document: AgentServerDocument): void {
  const saved = { ...document, version: randomUUID() };
  for (const name of [saved.slug, saved.id])
    documents.set(documentKey.agentServer(saved.workspaceId, name), saved);
}
