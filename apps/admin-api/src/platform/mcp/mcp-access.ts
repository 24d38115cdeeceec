import type { McpServerEntity, McpServerUserEntity } from '@gw/entities';
import type { AccessRule, AccessServer } from '@gw/mcp';

/**
 * Returns a server in the form that the access rules use. `users` are the exceptions from the
 * server's default.
 */
export const accessServer = (
  { slug, defaultUserAccess, defaultEffect, accessRules }: McpServerEntity,
  users: readonly Pick<McpServerUserEntity, 'userId' | 'enabled'>[],
  isAvailable: boolean,
): AccessServer => ({
  ...{ slug, isAvailable, defaultEffect },
  userAccess: {
    isAllowed: defaultUserAccess === 'allow',
    exceptions: new Map(users.map(({ userId, enabled }) => [userId, enabled])),
  },
  rules: accessRules.map((rule) => ({ ...rule, server: slug }) as object as AccessRule),
});
