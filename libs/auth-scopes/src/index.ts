export { canonicalScope, isScope, SCOPES, scopesAllowedFor, type KeyType } from './catalogue';
export { ceilingOf, workspaceRank, type OrganisationRole, type WorkspaceRole } from './roles';
