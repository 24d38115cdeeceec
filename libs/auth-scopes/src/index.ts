export { canonicalScope, isScope, KEY_TYPES, SCOPES, scopesAllowedFor, type KeyType } from './catalogue';
export {
  ceilingOf,
  scopesAllowedBy,
  settingGroupOf,
  userKeyCeiling,
  workspaceRank,
  type OrganisationRole,
  type WorkspaceRole,
} from './roles';
export {
  ALL_OPEN,
  capabilitiesOf,
  removedCapabilities,
  DEFAULT_SECURITY,
  OVERRIDE_DEFAULTS,
  SECURITY_CATEGORIES,
  SECURITY_SETTINGS,
  scopesOf,
  securityInForce,
  type CapabilityName,
  type SecurityCategory,
  type SecuritySetting,
  type SecuritySettings,
  type SettingGroup,
  type StoredSecurity,
} from './security-settings';
