import type { AgentServerDocument } from '@gw/contracts';
import type { SignedInServer } from '../credentials/server-credentials';

const known = new WeakMap<AgentServerDocument, SignedInServer>();

/** An agent as far as it decides how the gateway signs in, made once for each version. */
export function upstreamOf(document: AgentServerDocument): SignedInServer {
  let upstream = known.get(document);
  if (upstream === undefined) {
    const { endpoint, organisationId, workspaceId, integrationId, authType, sealedAuth, configurations } =
      document;
    const facts = { organisationId, workspaceId, integrationId, authType, sealedAuth, configurations };
    known.set(document, (upstream = { ...facts, url: endpoint.url }));
  }
  return upstream;
}
