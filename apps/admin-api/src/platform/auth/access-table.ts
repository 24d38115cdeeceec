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

/** The roles as the document names them; a user of the organisation alone is `member`. */
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

/** One row of the table of routes: everything that decides who may call, made of the scopes that the route declares. */
export interface AccessRow {
  /** Any one of them is enough. */
  readonly scopes: readonly string[];
  /** Credentials that may hold one of the scopes. */
  readonly keyTypes: readonly KeyType[];
  /** Roles that have one of the scopes, as far as the security settings leave it to them. */
  readonly roles: readonly string[];
  /** Settings that close the route to those whom they name. */
  readonly securitySettings: readonly string[];
}

/** No route takes the keys of the catalogue that are JWTs yet. */
const TAKEN_KEY_TYPES = KEY_TYPES.filter((type) => type !== 'jwt');

export function accessRow(scopes: readonly string[]): AccessRow {
  const capabilities = capabilitiesOf(scopes);
  return {
    scopes,
    keyTypes: TAKEN_KEY_TYPES.filter((type) => scopes.some((scope) => scopesAllowedFor(type).has(scope))),
    roles: ROLES.filter(({ organisation, workspace }) => {
      const ceiling = ceilingOf(organisation, workspace, ALL_OPEN);
      return scopes.some((scope) => ceiling.has(scope));
    }).map(({ name }) => name),
    securitySettings: SECURITY_SETTINGS.filter(({ capability }) => capabilities.includes(capability)).map(
      ({ name }) => name,
    ),
  };
}
