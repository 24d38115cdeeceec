/** Returns the context to which a provider's credential is sealed. */
export const credentialBinding = (workspaceId: string, providerId: string): string =>
  `provider:${workspaceId}:${providerId}`;

/** Returns the context to which a guardrail's secrets are sealed. */
export const guardrailBinding = (organisationId: string, guardrailId: string): string =>
  `guardrail:${organisationId}:${guardrailId}`;

/** Returns the context to which the credentials of an MCP integration are sealed. */
export const mcpAuthBinding = (organisationId: string, integrationId: string): string =>
  `mcp_integration:${organisationId}:${integrationId}`;

/** Returns the context to which the credentials of an agent integration are sealed. */
export const agentAuthBinding = (organisationId: string, integrationId: string): string =>
  `agent_integration:${organisationId}:${integrationId}`;

/** Returns the context to which the key that signs cards is sealed in its document. */
export const cardKeyBinding = (keyId: string): string => `card_key:${keyId}`;

/** Returns the context to which the key that signs tokens is sealed. */
export const signingKeyDocumentBinding = (kid: string): string => `signing_key_document:${kid}`;
