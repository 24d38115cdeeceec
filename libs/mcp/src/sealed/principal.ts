import { digestOf } from '@gw/kernel';

/** The principal to which sessions and states are bound. */
export type McpPrincipal =
  | { readonly kind: 'key'; readonly keyId: string }
  | { readonly kind: 'user'; readonly userId: string; readonly clientId: string }
  | { readonly kind: 'workload'; readonly trustId: string; readonly subject: string };

/**
 * Returns a text of 43 characters that identifies the principal. The same user with another OAuth
 * client is another principal.
 */
export function principalBinding(principal: McpPrincipal): string {
  switch (principal.kind) {
    case 'key':
      return digestOf('mcp/principal', ['key', principal.keyId]);
    case 'user':
      return digestOf('mcp/principal', ['user', principal.userId, principal.clientId]);
    case 'workload':
      return digestOf('mcp/principal', ['workload', principal.trustId, principal.subject]);
  }
}
