import { isOfUsers, type McpServerDocument } from '@gw/contracts';

/**
 * Returns the pool class of connections to a server. Users with their own tokens never share
 * connections, nor do HTTP+SSE streams, which hold one each; `owner` then separates them.
 */
export function poolClassOf(
  { organisationId, integrationId, authType, transport }: McpServerDocument,
  owner: string,
): string {
  const isOwn = transport === 'sse' || isOfUsers(authType);
  return `mcp/${organisationId}/${integrationId}/${isOwn ? owner : ''}`;
}
