export { appendAudit, verifyAuditChain, type AuditRow, type AuditVerification } from './audit/audit-chain';
export { ChangeEventEntity } from './change-events/change-event.entity';
export { EnforcedFeaturesEntity } from './change-events/enforced-features.entity';
export { CHANGE_CHANNEL, KEYS_PER_EVENT_MAX, recordChange, type Change } from './change-events/record-change';
export { dataSourceOptions, ENTITIES, MIGRATIONS, type DatabaseSettings } from './data-source';
export { GatewayEntity } from './gateways/gateway.entity';
export { ApiKeySecretEntity } from './identity/api-key-secret.entity';
export { ApiKeyEntity, type StoredRotationPolicy } from './identity/api-key.entity';
export { AuditChainEntity } from './identity/audit-chain.entity';
export { AuditLogEntity } from './identity/audit-log.entity';
export { usageLimitRule, usageLimitRules, type StoredUsageLimit } from './identity/limits';
export { OrganisationUserEntity } from './identity/organisation-user.entity';
export {
  OrganisationEntity,
  type DataPlaneSecuritySettings,
  type OrganisationSettings,
  type StoredSecuritySettings,
  type UserKeySettings,
} from './identity/organisation.entity';
export { SessionEntity } from './identity/session.entity';
export { UserInviteEntity, type InvitedApiKey, type InvitedWorkspace } from './identity/user-invite.entity';
export { UserEntity } from './identity/user.entity';
export { WorkspaceUserEntity } from './identity/workspace-user.entity';
export { WorkspaceEntity, type WorkspaceDefaults, type WorkspaceSettings } from './identity/workspace.entity';
export { ConfigVersionEntity } from './resources/config-version.entity';
export { ConfigEntity } from './resources/config.entity';
export { IntegrationModelEntity } from './resources/integration-model.entity';
export { IntegrationWorkspaceEntity } from './resources/integration-workspace.entity';
export {
  IntegrationEntity,
  type GlobalWorkspaceAccess,
  type StoredSecretMapping,
} from './resources/integration.entity';
export { ProviderEntity, type ProviderStatus } from './resources/provider.entity';
export { CollectionEntity } from './prompts/collection.entity';
export { LabelEntity } from './prompts/label.entity';
export { PromptLabelEntity } from './prompts/prompt-label.entity';
export { PromptShareEntity } from './prompts/prompt-share.entity';
export { PromptVersionEntity } from './prompts/prompt-version.entity';
export { PromptEntity } from './prompts/prompt.entity';
export { RateLimitPolicyEntity } from './resources/rate-limit-policy.entity';
export { UsageLimitPolicyEntity } from './resources/usage-limit-policy.entity';
export { BatchEntity } from './resources/batch.entity';
export { DeploymentEntity, type DeploymentAuthSettings } from './resources/deployment.entity';
export { OrganisationPropertiesEntity } from './resources/organisation-properties.entity';
export { PluginEntity } from './resources/plugin.entity';
export { WorkspaceExclusionEntity } from './resources/workspace-exclusion.entity';
export { SecretReferenceEntity } from './resources/secret-reference.entity';
export { UsageLimitPolicyValueEntity } from './resources/usage-limit-policy-value.entity';
export { PlainRow, Row } from './row';
export {
  addBalances,
  balancesOf,
  type LedgerAmount,
  type LedgerBalance,
  type LedgerRow,
} from './ledger/ledger.queries';
export { dayOf, ensureLogPartitions } from './logs/log-partitions';
export {
  findLog,
  listLogs,
  LOG_VALUE_FILTERS,
  type Bounds,
  type LogFilter,
  type LogOwner,
  type LogPosition,
  type StoredRequestLog,
  type StoredRequestLogDetail,
} from './logs/log-reader.queries';
export { insertLogs, type LogEntry } from './logs/log-writer.queries';
export { requestLogRow, type RequestLogRow } from './logs/request-log-row';
