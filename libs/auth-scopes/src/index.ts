export { canonicalScope, isScope, SCOPES, scopesAllowedFor, type KeyType } from './catalogue';
export { ceilingOf, userKeyCeiling, workspaceRank, type OrganisationRole, type WorkspaceRole } from './roles';
