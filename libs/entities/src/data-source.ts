import type { DatabaseTls } from '@gw/kernel';
import type { DataSourceOptions } from 'typeorm';
import { ChangeEventEntity } from './change-events/change-event.entity';
import { EnforcedFeaturesEntity } from './change-events/enforced-features.entity';
import { GatewayEntity } from './gateways/gateway.entity';
import { ApiKeySecretEntity } from './identity/api-key-secret.entity';
import { ApiKeyEntity } from './identity/api-key.entity';
import { AuditChainEntity } from './identity/audit-chain.entity';
import { AuditLogEntity } from './identity/audit-log.entity';
import { InstallationEntity } from './identity/installation.entity';
import { OrganisationUserEntity } from './identity/organisation-user.entity';
import { OrganisationEntity } from './identity/organisation.entity';
import { SessionEntity } from './identity/session.entity';
import { UserInviteEntity } from './identity/user-invite.entity';
import { UserEntity } from './identity/user.entity';
import { WorkspaceUserEntity } from './identity/workspace-user.entity';
import { WorkspaceEntity } from './identity/workspace.entity';
import { MailEntity } from './mails/mail.entity';
import { KeyPages1795410200000 } from './migrations/1795410200000-key-pages';
import { KeyRotation1795410100000 } from './migrations/1795410100000-key-rotation';
import { Mails1795410000000 } from './migrations/1795410000000-mails';
import { IdentityRules1795310000000 } from './migrations/1795310000000-identity-rules';
import { Identity1795200000000 } from './migrations/1795200000000-identity';
import { Resources1795220000000 } from './migrations/1795220000000-resources';
import { ChangeEvents1795250000000 } from './migrations/1795250000000-change-events';
import { Gateways1795260000000 } from './migrations/1795260000000-gateways';
import { RequestLogs1795300000000 } from './migrations/1795300000000-request-logs';
import { Prompts1795320000000 } from './migrations/1795320000000-prompts';
import { CollectionEntity } from './prompts/collection.entity';
import { LabelEntity } from './prompts/label.entity';
import { PromptLabelEntity } from './prompts/prompt-label.entity';
import { PromptShareEntity } from './prompts/prompt-share.entity';
import { PromptVersionEntity } from './prompts/prompt-version.entity';
import { PromptEntity } from './prompts/prompt.entity';
import { FeedbackEntity } from './logs/feedback.entity';
import { LogExportEntity, LogExportPartEntity } from './logs/log-export.entity';
import { LogStore1795460000000 } from './migrations/1795460000000-log-store';
import { Guardrails1795350000000 } from './migrations/1795350000000-guardrails';
import { GuardrailQuality1795450000000 } from './migrations/1795450000000-guardrail-quality';
import { EnforcedFeatures1795341000000 } from './migrations/1795341000000-enforced-features';
import { Policies1795340000000 } from './migrations/1795340000000-policies';
import { SecretReferences1795330000000 } from './migrations/1795330000000-secret-references';
import { DeploymentsAndMore1795331000000 } from './migrations/1795331000000-deployments-and-more';
import { BatchEntity } from './resources/batch.entity';
import { Ledger1795380000000 } from './migrations/1795380000000-ledger';
import { LimitSettings1795420000000 } from './migrations/1795420000000-limit-settings';
import { RepricingEntity } from './ledger/repricing.entity';
import { Repricings1795423000000 } from './migrations/1795423000000-repricings';
import { BudgetHours1795422000000 } from './migrations/1795422000000-budget-hours';
import { LimitAlerts1795421000000 } from './migrations/1795421000000-limit-alerts';
import { AlertWebhookEntity } from './alerts/alert-webhook.entity';
import { LedgerHolders1795430000000 } from './migrations/1795430000000-ledger-holders';
import { LedgerOnce1795430100000 } from './migrations/1795430100000-ledger-once';
import { UsageRollups1795470000000 } from './migrations/1795470000000-usage-rollups';
import { UsagePending1795490010000 } from './migrations/1795490010000-usage-pending';
import { UsageRoom1795490020000 } from './migrations/1795490020000-usage-room';
import { AppendAudit1795490030000 } from './migrations/1795490030000-append-audit';
import { UsageBuilt1795490040000 } from './migrations/1795490040000-usage-built';
import { LogZones1795500000000 } from './migrations/1795500000000-log-zones';
import { EndedApiKeys1795600010000 } from './migrations/1795600010000-ended-api-keys';
import { UsageOutcomes1795600000000 } from './migrations/1795600000000-usage-outcomes';
import { IdempotentRequestEntity } from './idempotency/idempotent-request.entity';
import { IdempotentRequests1795610000000 } from './migrations/1795610000000-idempotent-requests';
import { SetBy1795630000000 } from './migrations/1795630000000-set-by';
import { SkewedLogs1795560000000 } from './migrations/1795560000000-skewed-logs';
import { Installation1795590000000 } from './migrations/1795590000000-installation';
import { LogQuarantine1795530000000 } from './migrations/1795530000000-log-quarantine';
import { StoredObjects1795590010000 } from './migrations/1795590010000-stored-objects';
import { ConfigVersionEntity } from './resources/config-version.entity';
import { ConfigEntity } from './resources/config.entity';
import { GuardrailMcpServerEntity } from './resources/guardrail-mcp-server.entity';
import { GuardrailVersionEntity } from './resources/guardrail-version.entity';
import { GuardrailEntity } from './resources/guardrail.entity';
import { IntegrationModelEntity } from './resources/integration-model.entity';
import { IntegrationWorkspaceEntity } from './resources/integration-workspace.entity';
import { IntegrationEntity } from './resources/integration.entity';
import { ProviderEntity } from './resources/provider.entity';
import { RateLimitPolicyEntity } from './resources/rate-limit-policy.entity';
import { UsageLimitPolicyEntity } from './resources/usage-limit-policy.entity';
import { Accounts1795520010000 } from './migrations/1795520010000-accounts';
import { PasswordResetEntity } from './identity/password-reset.entity';
import { Grants1795520000000 } from './migrations/1795520000000-grants';
import { LedgerOnceAmounts1795640000000 } from './migrations/1795640000000-ledger-once-amounts';
import { ExportWorkersLost1795650000000 } from './migrations/1795650000000-export-workers-lost';
import { LedgerOnceEstimates1795670000000 } from './migrations/1795670000000-ledger-once-estimates';
import { EndedLimits1795690000000 } from './migrations/1795690000000-ended-limits';
import { LedgerOnceAges1795700000000 } from './migrations/1795700000000-ledger-once-ages';
import { DeploymentEntity } from './resources/deployment.entity';
import { OrganisationPropertiesEntity } from './resources/organisation-properties.entity';
import { PluginEntity } from './resources/plugin.entity';
import { WorkspaceExclusionEntity } from './resources/workspace-exclusion.entity';
import { SecretReferenceEntity } from './resources/secret-reference.entity';
import { UsageLimitPolicyValueEntity } from './resources/usage-limit-policy-value.entity';

/** Every entity. A class that is missing here is unknown to the repositories and to the drift check. */
export const ENTITIES = [
  InstallationEntity,
  OrganisationEntity,
  UserEntity,
  OrganisationUserEntity,
  WorkspaceEntity,
  WorkspaceUserEntity,
  SessionEntity,
  PasswordResetEntity,
  UserInviteEntity,
  ApiKeyEntity,
  ApiKeySecretEntity,
  AuditLogEntity,
  AuditChainEntity,
  IntegrationEntity,
  IntegrationModelEntity,
  IntegrationWorkspaceEntity,
  ProviderEntity,
  ConfigEntity,
  ConfigVersionEntity,
  GuardrailEntity,
  GuardrailVersionEntity,
  GuardrailMcpServerEntity,
  ChangeEventEntity,
  EnforcedFeaturesEntity,
  GatewayEntity,
  CollectionEntity,
  LabelEntity,
  PromptEntity,
  PromptVersionEntity,
  PromptLabelEntity,
  PromptShareEntity,
  UsageLimitPolicyEntity,
  UsageLimitPolicyValueEntity,
  RateLimitPolicyEntity,
  SecretReferenceEntity,
  DeploymentEntity,
  PluginEntity,
  WorkspaceExclusionEntity,
  OrganisationPropertiesEntity,
  BatchEntity,
  MailEntity,
  AlertWebhookEntity,
  IdempotentRequestEntity,
  RepricingEntity,
  FeedbackEntity,
  LogExportEntity,
  LogExportPartEntity,
];

/** Every migration; TypeORM runs them by the number in their name. */
export const MIGRATIONS = [
  Identity1795200000000,
  IdentityRules1795310000000,
  Resources1795220000000,
  ChangeEvents1795250000000,
  Gateways1795260000000,
  RequestLogs1795300000000,
  Prompts1795320000000,
  SecretReferences1795330000000,
  DeploymentsAndMore1795331000000,
  Policies1795340000000,
  EnforcedFeatures1795341000000,
  Guardrails1795350000000,
  Ledger1795380000000,
  GuardrailQuality1795450000000,
  Mails1795410000000,
  KeyRotation1795410100000,
  KeyPages1795410200000,
  LimitSettings1795420000000,
  LimitAlerts1795421000000,
  BudgetHours1795422000000,
  Repricings1795423000000,
  LedgerHolders1795430000000,
  LedgerOnce1795430100000,
  LogStore1795460000000,
  UsageRollups1795470000000,
  UsagePending1795490010000,
  UsageRoom1795490020000,
  AppendAudit1795490030000,
  UsageBuilt1795490040000,
  LogZones1795500000000,
  Installation1795590000000,
  StoredObjects1795590010000,
  LogQuarantine1795530000000,
  Grants1795520000000,
  LedgerOnceAmounts1795640000000,
  Accounts1795520010000,
  SkewedLogs1795560000000,
  UsageOutcomes1795600000000,
  EndedApiKeys1795600010000,
  IdempotentRequests1795610000000,
  SetBy1795630000000,
  ExportWorkersLost1795650000000,
  LedgerOnceEstimates1795670000000,
  EndedLimits1795690000000,
  LedgerOnceAges1795700000000,
];

export interface DatabaseSettings {
  /** `postgres://…` */
  readonly url: string;
  /** Undefined: as the URL says. */
  readonly tls?: DatabaseTls | undefined;
  /** Connections of this process, at most. */
  readonly poolSize: number;
  /** Shown in `pg_stat_activity`. */
  readonly applicationName: string;
  /** A statement that runs longer is cancelled by the server; 30 s when absent, 0 for no limit. */
  readonly statementTimeoutMs?: number;
  /** A statement that waits longer for a lock is cancelled; no limit but the statement's when absent. */
  readonly lockTimeoutMs?: number;
}

const SILENCE_MS = 2_000;

/** The schema belongs to the hand-written migrations alone: `synchronize` stays off. */
export function dataSourceOptions(settings: DatabaseSettings): DataSourceOptions {
  const { statementTimeoutMs = 30_000, lockTimeoutMs } = settings;
  return {
    type: 'postgres',
    url: settings.url,
    ...(settings.tls === undefined ? {} : { ssl: settings.tls }),
    poolSize: settings.poolSize,
    applicationName: settings.applicationName,
    // Also how long a query waits for a connection of the pool.
    connectTimeoutMS: 5_000,
    entities: ENTITIES,
    migrations: MIGRATIONS,
    migrationsTableName: 'migrations',
    migrationsTransactionMode: 'each',
    synchronize: false,
    logging: false,
    extra: {
      statement_timeout: statementTimeoutMs,
      // For a server that does not answer at all, not even that it has cancelled a statement.
      ...(statementTimeoutMs > 0 && { query_timeout: statementTimeoutMs + SILENCE_MS }),
      ...(lockTimeoutMs !== undefined && { lock_timeout: lockTimeoutMs }),
      keepAlive: true,
    },
  };
}
