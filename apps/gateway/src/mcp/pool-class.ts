import { isOfUsers, type McpServerDocument } from '@gw/contracts';

/**
 * The class of connections to a server. They are never shared by users with tokens of their own, nor by streams that hold
 * one each. `owner`: whose they are then.
 */
export function poolClassOf(
  { organisationId, integrationId, authType, transport }: McpServerDocument,
  owner: string,
): string {
  const isOwn = transport === 'sse' || isOfUsers(authType);
  return `mcp/${organisationId}/${integrationId}/${isOwn ? owner : ''}`;
}
