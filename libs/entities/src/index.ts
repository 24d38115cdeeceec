export * from './entities';
export { webhookBinding } from './alerts/alert-webhook.entity';
export { appendAudit, verifyAuditChain, type AuditRow, type AuditVerification } from './audit/audit-chain';
export { CHANGE_CHANNEL, KEYS_PER_EVENT_MAX, recordChange, type Change } from './change-events/record-change';
export {
  databaseTls,
  DATABASE_TLS_SETTINGS,
  type DatabaseTls,
  type DatabaseTlsSettings,
} from './database-tls';
export { dataSourceOptions, ENTITIES, MIGRATIONS, type DatabaseSettings } from './data-source';
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
export { useOnce, type OneTimeMessage } from './oauth/used-once.queries';
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
export {
  ENDED_KEYS_KEPT_DAYS,
  endedApiKeys,
  forgetEndedApiKeys,
  type EndedApiKey,
} from './identity/ended-api-keys.queries';
export { PreparedStatement } from './prepared-statement';
export { INSTALLATION_BINDING } from './identity/installation.entity';
export {
  rateLimitRules,
  usageLimitRule,
  usageLimitRules,
  type StoredRateLimit,
  type StoredUsageLimit,
} from './identity/limits';
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
export {
  policyRateLimit,
  policyRateRule,
  policyUsageLimit,
  policyUsageRule,
} from './resources/policy-limits';
export { GuardrailMapping } from './resources/guardrail-mapping';
export { PlainRow, Row } from './row';
export { assertOpens, openInstallation } from './sealed/installation-key';
export { untilMigrated } from './until-migrated';
export { countOutdated, resealEverything, type ResealResult } from './sealed/reseal.queries';
export {
  deploymentBinding,
  integrationBinding,
  mcpConnectionBinding,
  mcpOauthClientBinding,
  mcpTicketBinding,
  oauthClientBinding,
  pluginBinding,
  SEALED_COLUMNS,
  secretReferenceBinding,
  signingKeyBinding,
  ssoConnectionBinding,
  secondFactorBinding,
  ssoFlowBinding,
} from './sealed/sealed-columns';
export { isUniqueViolation, sqlStateOf } from './sql-state';
export { addSigningKey, replaceSigningKeys, rotateSigningKeys } from './oauth/signing-keys.queries';
export { UpstreamCapability, type StoredFinding } from './upstreams/upstream-capability';
export { UpstreamCheck } from './upstreams/upstream-check';
export { UpstreamIntegration, type UpstreamHealthState } from './upstreams/upstream-integration';
export { UpstreamServer } from './upstreams/upstream-server';
