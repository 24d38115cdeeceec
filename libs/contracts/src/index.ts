export {
  agentAuthBinding,
  cardKeyBinding,
  credentialBinding,
  guardrailBinding,
  mcpAuthBinding,
  signingKeyDocumentBinding,
} from './bindings';
export type { BreakerChange, BreakerStore } from './breakers';
export {
  configuredClient,
  configuredSecret,
  isOfInstallation,
  type ClientSecret,
  type CloudIdentity,
  type IssuedCredential,
  type OAuthClient,
  type WorkloadToken,
} from './cloud-identity';
export {
  CLAIM_OPERATORS,
  type AccessTokenDocument,
  type OauthGrantDocument,
  type ClaimCondition,
  type SigningKeyDocument,
  type TrustMap,
  type TokenBinding,
  type TrustRule,
  type TrustsDocument,
  type UserDocument,
  type WorkspaceSlugDocument,
} from './caller-documents';
export type {
  McpApprovalCaller,
  McpApprovalRequest,
  McpApprovalResponse,
  McpApprovalRound,
} from './mcp-approvals';
export {
  CLIENT_SECRET_CONTENT,
  isExchanged,
  isOfUsers,
  MCP_CATALOGUE_MAX,
  type McpAccessRule,
  type McpAuthContent,
  type McpAuthType,
  type McpCapabilityFacts,
  type McpCatalogueDocument,
  type McpConnectionContent,
  type McpConnectionDocument,
  type McpGuardrailMapping,
  type McpIntegrationKind,
  type McpServerDocument,
  type McpServerFacts,
  type McpToolOverride,
  type McpToolsetDocument,
  type McpToolsetMember,
} from './mcp-documents';
export type {
  AgentAccessRule,
  AgentAuthContent,
  AgentAuthType,
  AgentCatalogueDocument,
  AgentGuardrailMapping,
  AgentInterfaceFacts,
  AgentLimits,
  AgentPrices,
  AgentServerDocument,
  AgentSkillFacts,
  CardKeyDocument,
} from './agent-documents';
export {
  documentKey,
  type ApiKeyDocument,
  type McpKeyAccess,
  type ConfigDocument,
  type DefaultGuardrails,
  type DocumentKey,
  type DocumentKind,
  type EndedApiKeyDocument,
  type GuardrailDocument,
  type GuardrailSecretContent,
  type GuardrailSecrets,
  type IntegrationLimits,
  type OrganisationDocument,
  type PromptDocument,
  type PromptVersionDocument,
  type Enforcement,
  type OutageMode,
  type PolicyCondition,
  type ProviderDocument,
  type ProviderModel,
  type RateLimitPolicyRule,
  type RateLimitRule,
  type SavedGuardrailCheck,
  type ReadModelDocument,
  type UsageLimitPolicyRule,
  type UsageLimitRule,
  type WorkspaceDocument,
} from './documents';
export {
  EVERY_DOCUMENT,
  documentRedisKey,
  EVENT_CHANNEL,
  HEARTBEAT_MS,
  type ChangeEvent,
  type ControlPlaneEvent,
  type HeartbeatEvent,
  type ResetEvent,
} from './events';
export { GATEWAY_HEADER_PREFIX, HEADER, PORTKEY_HEADER_PREFIX } from './headers';
export {
  INTERNAL,
  type BalancesResponse,
  type BalancesRequest,
  type DocumentsResponse,
  type DocumentsRequest,
  type GatewayPresence,
  type HealthCheckResponse,
  type McpLinkRequest,
  type McpLinkResponse,
  type McpRefreshRequest,
  type McpRefreshResponse,
  type McpScopeRequest,
  type McpListsChanged,
  type McpSyncResponse,
  type AgentCardSyncResponse,
  type ClaimResponse,
  type ScimSettleResponse,
} from './internal-api';
export {
  LOG_FIELDS,
  LOG_MEMBERS,
  salvagedLogFields,
  type LogFieldColumn,
  type LogFieldRow,
  type LogFields,
} from './log-fields';
export type { FactType, LogColumnFacts, LogFilterFacts } from './log-field-facts';
export { storable, type LogKind, type LogSqlType, type LogUnit } from './log-kinds';
export type {
  AgentRecord,
  AttemptEnd,
  AttemptRecord,
  CacheEmbedding,
  CacheRecord,
  ChargeLine,
  McpRecord,
  ChargeRecord,
  DecisionRecord,
  LimitState,
  LogRecord,
  PriceLine,
  PromptRecord,
  RoutingEvent,
  SessionRecord,
  TimedStage,
  Usage,
  GuardrailCheckRecord,
  GuardrailRecord,
} from './log-record';
export { isOfBatch, ONCE_MAX } from './log-record';
export type { MailMessage } from './mail';
export {
  CONTROL_PLANE_SEGMENTS,
  MCP_ADMIN_PATH,
  UNVERSIONED_SEGMENTS,
  type ControlPlanePath,
  type ControlPlaneSegment,
} from './control-plane-paths';
export {
  familyNamed,
  ROUTE_FAMILIES,
  ROUTE_KINDS,
  routeFamily,
  type RouteFamily,
  type RouteKind,
} from './route-families';
export { isSuccess, resultOf, type RequestEnd, type RequestResult } from './request-result';
export { completeLogRecord, completeUsage, newLogRecord, type ShippedLogRecord } from './shipped-log-record';
export {
  choosesDestination,
  decidesDestination,
  fieldOfInstallation,
  isKeyless,
  type CatalogueProvider,
  type ConfigurationField,
} from './provider-catalogue';
export type { InstallationCredentials } from './installation-credentials';
export type { ProviderCredentialContent, SecretLocation, SecretManagerType, SecretUse } from './secret-use';
export { TOKEN_AUDIENCE, TOKEN_ISSUER } from './session-token';
