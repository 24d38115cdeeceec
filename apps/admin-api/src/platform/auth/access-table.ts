import {
  ALL_OPEN,
  capabilitiesOf,
  ceilingOf,
  KEY_TYPES,
  SECURITY_SETTINGS,
  scopesAllowedFor,
  type KeyType,
  type OrganisationRole,
  type WorkspaceRole,
} from '@gw/auth-scopes';

/**
 * Roles by their names in the OpenAPI document. `member` is a user of the organisation without a
 * workspace role.
 */
export const ROLES: readonly {
  readonly name: string;
  readonly organisation: OrganisationRole;
  readonly workspace: WorkspaceRole | null;
}[] = [
  { name: 'owner', organisation: 'owner', workspace: null },
  { name: 'admin', organisation: 'admin', workspace: null },
  { name: 'member', organisation: 'member', workspace: null },
  { name: 'workspace-admin', organisation: 'member', workspace: 'admin' },
  { name: 'workspace-manager', organisation: 'member', workspace: 'manager' },
  { name: 'workspace-member', organisation: 'member', workspace: 'member' },
];

/**
 * One row of the access table: who may call a route, derived from the scopes that the route
 * declares.
 */
export interface AccessRow {
  /** A caller needs one of these scopes. */
  readonly scopes: readonly string[];
  /** Key types that can hold one of the scopes. */
  readonly keyTypes: readonly KeyType[];
  /** Roles that have one of the scopes when all security settings are on. */
  readonly roles: readonly string[];
  /** Security settings that close the route to their group of users when they are off. */
  readonly securitySettings: readonly string[];
}

/**
 * Types of keys that can be created and stored. The key type `jwt` is not among them: it only lists
 * the scopes that tokens of a trust can hold. Such a token acts as a user, whose role decides which
 * routes it may call.
 */
const ACCEPTED_KEY_TYPES = KEY_TYPES.filter((type) => type !== 'jwt');

export function accessRow(scopes: readonly string[]): AccessRow {
  const capabilities = capabilitiesOf(scopes);
  return {
    scopes,
    keyTypes: ACCEPTED_KEY_TYPES.filter((type) => scopes.some((scope) => scopesAllowedFor(type).has(scope))),
    roles: ROLES.filter(({ organisation, workspace }) => {
      const ceiling = ceilingOf(organisation, workspace, ALL_OPEN);
      return scopes.some((scope) => ceiling.has(scope));
    }).map(({ name }) => name),
    securitySettings: SECURITY_SETTINGS.filter(({ capability }) => capabilities.includes(capability)).map(
      ({ name }) => name,
    ),
  };
}
