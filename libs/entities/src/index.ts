export {
  alertRecipients,
  alertsRaised,
  claimDelivery,
  dropStaleAlerts,
  finishDelivery,
  raiseAlert,
  type DueDelivery,
  type LimitAlert,
} from './alerts/alert.queries';
export { AlertWebhookEntity, webhookBinding } from './alerts/alert-webhook.entity';
export { appendAudit, verifyAuditChain, type AuditRow, type AuditVerification } from './audit/audit-chain';
export { ChangeEventEntity } from './change-events/change-event.entity';
export { EnforcedFeaturesEntity } from './change-events/enforced-features.entity';
export { CHANGE_CHANNEL, KEYS_PER_EVENT_MAX, recordChange, type Change } from './change-events/record-change';
export { dataSourceOptions, ENTITIES, MIGRATIONS, type DatabaseSettings } from './data-source';
export { GatewayEntity } from './gateways/gateway.entity';
export {
  ENDED_KEYS_KEPT_DAYS,
  endedApiKeys,
  forgetEndedApiKeys,
  type EndedApiKey,
} from './identity/ended-api-keys.queries';
export { ApiKeySecretEntity } from './identity/api-key-secret.entity';
export {
  insertSecret,
  makeSecret,
  openSecret,
  replaceSecret,
  sealSecret,
  type FreshSecret,
  type Replacement,
  type SecretMaker,
} from './identity/api-key-secrets';
export { ApiKeyEntity, type StoredRotationPolicy } from './identity/api-key.entity';
export { AuditChainEntity } from './identity/audit-chain.entity';
export { AuditLogEntity } from './identity/audit-log.entity';
export { INSTALLATION_BINDING, InstallationEntity } from './identity/installation.entity';
export { assertOpens, openInstallation } from './sealed/installation-key';
export { countOutdated, resealEverything, type ResealResult } from './sealed/reseal.queries';
export {
  deploymentBinding,
  integrationBinding,
  pluginBinding,
  SEALED_COLUMNS,
  secretReferenceBinding,
} from './sealed/sealed-columns';
export {
  rateLimitRules,
  usageLimitRule,
  usageLimitRules,
  type StoredRateLimit,
  type StoredUsageLimit,
} from './identity/limits';
export { OrganisationUserEntity } from './identity/organisation-user.entity';
export {
  OrganisationEntity,
  type DataPlaneSecuritySettings,
  type ExportSettings,
  type OrganisationDefaults,
  type OrganisationSettings,
  type StoredSecuritySettings,
  type UserKeySettings,
} from './identity/organisation.entity';
export { IdempotentRequestEntity } from './idempotency/idempotent-request.entity';
export {
  claimRequest,
  idempotentRequestBinding,
  keepResponse,
  markCarriedOut,
  releaseRequest,
  sweepIdempotentRequests,
  type KnownRequest,
  type RequestClaim,
} from './idempotency/idempotent-requests.queries';
export { PasswordResetEntity } from './identity/password-reset.entity';
export { SessionEntity } from './identity/session.entity';
export { UserInviteEntity, type InvitedApiKey, type InvitedWorkspace } from './identity/user-invite.entity';
export { UserEntity } from './identity/user.entity';
export { WorkspaceUserEntity } from './identity/workspace-user.entity';
export { WorkspaceEntity, type WorkspaceDefaults, type WorkspaceSettings } from './identity/workspace.entity';
export { ConfigVersionEntity } from './resources/config-version.entity';
export { ConfigEntity } from './resources/config.entity';
export { GuardrailMcpServerEntity } from './resources/guardrail-mcp-server.entity';
export { GuardrailVersionEntity } from './resources/guardrail-version.entity';
export { GuardrailEntity } from './resources/guardrail.entity';
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
export {
  policyRateLimit,
  policyRateRule,
  policyUsageLimit,
  policyUsageRule,
} from './resources/policy-limits';
export { RateLimitPolicyEntity } from './resources/rate-limit-policy.entity';
export { UsageLimitPolicyEntity } from './resources/usage-limit-policy.entity';
export { BatchEntity } from './resources/batch.entity';
export { DeploymentEntity, type DeploymentAuthSettings } from './resources/deployment.entity';
export { OrganisationPropertiesEntity } from './resources/organisation-properties.entity';
export { PluginEntity } from './resources/plugin.entity';
export { WorkspaceExclusionEntity } from './resources/workspace-exclusion.entity';
export { SecretReferenceEntity } from './resources/secret-reference.entity';
export { UsageLimitPolicyValueEntity } from './resources/usage-limit-policy-value.entity';
export {
  claimMail,
  dropMail,
  dropStaleMails,
  finishMail,
  MAIL_ATTEMPTS_MAX,
  queueMail,
  type DueMail,
  type OutgoingMail,
} from './mails/mail-queue';
export { MailEntity } from './mails/mail.entity';
export { PlainRow, Row } from './row';
export { RepricingEntity, type RepricingGroup, type RepricingReport } from './ledger/repricing.entity';
export {
  logsAt,
  pricedLogs,
  setLogPrices,
  type NewLogPrice,
  type PricedLog,
} from './logs/log-prices.queries';
export {
  addBudgetHours,
  dropOldBudgetHours,
  hourOf,
  recentUseOf,
  type BudgetHourRow,
  type RecentUse,
} from './ledger/budget-hours.queries';
export { clearBudgetMark, markBudgets, markedBudgets, type BudgetMark } from './ledger/budget-marks.queries';
export {
  addHolders,
  forgetHolders,
  PRICE_CORRECTIONS,
  heldBalancesOf,
  type HeldBalance,
  type HolderRow,
} from './ledger/ledger-holders.queries';
export {
  claimOnce,
  forgetOnce,
  type GivenBack,
  type OnceClaim,
  type OncePart,
} from './ledger/ledger-once.queries';
export {
  addBalances,
  balancesOf,
  type LedgerAmount,
  type LedgerBalance,
  type LedgerRow,
} from './ledger/ledger.queries';
export {
  addCounts,
  insertVerdicts,
  listVerdicts,
  markVerdicts,
  qualityOf,
  VERDICT_MARKS,
  type CheckQuality,
  type GuardrailCount,
  type GuardrailVerdict,
  type StoredVerdict,
  type VerdictFilter,
  type VerdictMark,
} from './logs/guardrail-verdicts.queries';
export { FeedbackEntity } from './logs/feedback.entity';
export {
  bodyFolder,
  bodyPlace,
  bodyReference,
  decodeLogBodies,
  encodeLogBodies,
  type BodyPlace,
  type LogBodies,
} from './logs/log-body';
export {
  exportRestrictionsOf,
  LOG_EXPORT_FIELDS,
  type ExportRestrictions,
  type LogExportField,
} from './logs/log-export-fields';
export { logExportFilter, providerModel, type LogExportFilters } from './logs/log-export-filter';
export {
  bodyLengths,
  claimExport,
  commitExportPart,
  countLogs,
  deletedExports,
  exportPositionAt,
  finishExport,
  readBodies,
  readExportRows,
  releaseExport,
  restExport,
  renewExportLease,
  type ExportedLog,
  type ExportPosition,
  type ExportTicket,
} from './logs/log-exports.queries';
export { LogExportEntity, LogExportPartEntity, type LogExportStatus } from './logs/log-export.entity';
export {
  dayOf,
  dropLogPartition,
  ensureLogPartitions,
  logPartitionDays,
  removeOldFeedback,
} from './logs/log-partitions';
export {
  feedbackByMetadata,
  feedbackByModel,
  feedbackByScore,
  feedbackByTime,
  tracesByFeedback,
  type FeedbackAsk,
  type FeedbackGroup,
} from './analytics/feedback-analytics.queries';
export { PostgresAnalytics } from './analytics/postgres-analytics';
export { buildRollups } from './analytics/rollup-builder.queries';
export { ROLLUP_RETENTION_DAYS } from './analytics/rollup-grains';
export { dropOldRollups } from './analytics/rollup-retention.queries';
export {
  addToRollups,
  mergeRollups,
  ROLLED_UP_COLUMNS,
  type RolledUpRow,
} from './analytics/rollup-writer.queries';
export { type Bounds, type LogFilter, type LogOwner, type LogPosition } from './logs/log-conditions';
export { listLogs } from './logs/log-pages.queries';
export { findLog, type StoredRequestLogDetail } from './logs/log-reader.queries';
export { KnownLogZones } from './logs/zones/known-log-zones';
export { zonesOf } from './logs/zones/log-zone';
export { unzonedDays, zoneDay } from './logs/zones/unzoned-days.queries';
export type { StoredRequestLog } from './logs/stored-request-log';
export { amendLogs } from './logs/log-amendments.queries';
export { insertGuardrailFeedback } from './logs/guardrail-feedback.queries';
export { insertLogs, type LogEntry } from './logs/log-writer.queries';
export { LOG_COLUMNS, requestLogRow, type LogMeasure, type RequestLogRow } from './logs/log-columns';
export {
  dropOldSpans,
  insertSpans,
  spansOfTrace,
  type SpanOwner,
  type StoredSpan,
  type TraceSpan,
} from './traces/trace-spans.queries';
export {
  countQuarantinedLogs,
  QUARANTINE,
  quarantinedLogs,
  quarantineLog,
  type QuarantinedLog,
  type QuarantineEntry,
} from './logs/log-quarantine.queries';
export { sqlStateOf } from './sql-state';
export { removeOldSkewed, timesOfSkewed } from './logs/skewed-logs';
