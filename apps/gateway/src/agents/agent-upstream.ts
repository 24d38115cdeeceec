import type { AgentServerDocument } from '@gw/contracts';
import type { SignedInServer } from '../credentials/server-credentials';

const upstreams = new WeakMap<AgentServerDocument, SignedInServer>();

/**
 * Returns the part of an agent's document that decides how the gateway signs in. It is created once
 * for each version of the document.
 */
export function upstreamOf(document: AgentServerDocument): SignedInServer {
  let upstream = upstreams.get(document);
  if (upstream === undefined) {
    const { endpoint, organisationId, workspaceId, integrationId, authType, sealedAuth, configurations } =
      document;
    const facts = { organisationId, workspaceId, integrationId, authType, sealedAuth, configurations };
    upstreams.set(document, (upstream = { ...facts, url: endpoint.url }));
  }
  return upstream;
}
