import { digestOf } from '@gw/kernel';

/** Principal that sessions and states are bound to. */
export type McpPrincipal =
  | { readonly kind: 'key'; readonly keyId: string }
  | { readonly kind: 'user'; readonly userId: string; readonly clientId: string }
  | { readonly kind: 'workload'; readonly trustId: string; readonly subject: string };

/**
 * A text of 43 characters that differs for different principals. The same user with another client
 * is another principal.
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
