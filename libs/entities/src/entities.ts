/**
 * Exports every entity with the types of its columns. The data source registers each class exported
 * here.
 */
export { AgentCardEntity, type StoredCardDifference } from './agents/agent-card.entity';
export { AgentHealthEntity } from './agents/agent-health.entity';
export { AgentIntegrationWorkspaceEntity } from './agents/agent-integration-workspace.entity';
export { AgentIntegrationEntity } from './agents/agent-integration.entity';
export { AgentServerSkillEntity } from './agents/agent-server-skill.entity';
export { AgentServerUserEntity } from './agents/agent-server-user.entity';
export { AgentServerEntity } from './agents/agent-server.entity';
export { AgentSkillEntity } from './agents/agent-skill.entity';
export { GuardrailAgentServerEntity } from './agents/guardrail-agent-server.entity';
export { AlertWebhookEntity } from './alerts/alert-webhook.entity';
export { ChangeEventEntity } from './change-events/change-event.entity';
export { EnforcedFeaturesEntity } from './change-events/enforced-features.entity';
export { GatewayEntity } from './gateways/gateway.entity';
export { IdempotentRequestEntity } from './idempotency/idempotent-request.entity';
export { ApiKeySecretEntity } from './identity/api-key-secret.entity';
export { ApiKeyEntity, type StoredMcpAccess, type StoredRotationPolicy } from './identity/api-key.entity';
export { AuditChainEntity } from './identity/audit-chain.entity';
export { AuditLogEntity } from './identity/audit-log.entity';
export { InstallationEntity } from './identity/installation.entity';
export { OrganisationDomainEntity } from './identity/organisation-domain.entity';
export { OrganisationUserEntity } from './identity/organisation-user.entity';
export {
  OrganisationEntity,
  type DataPlaneSecuritySettings,
  type ExportSettings,
  type OrganisationDefaults,
  type OauthSettings,
  type OrganisationSettings,
  type ScimSettings,
  type StoredSecuritySettings,
  type UserKeySettings,
} from './identity/organisation.entity';
export { PasswordResetEntity } from './identity/password-reset.entity';
export { ClaimEntity } from './identity/claim.entity';
export { PlaygroundKeyEntity } from './identity/playground-key.entity';
export {
  LoginChallengeEntity,
  RecoveryCodeEntity,
  SecondFactorEntity,
  TakenChallengeEntity,
} from './identity/second-factor.entity';
export { SessionEntity, type SessionFactor } from './identity/session.entity';
export { TrustEntity } from './identity/trust.entity';
export { UserInviteEntity, type InvitedApiKey, type InvitedWorkspace } from './identity/user-invite.entity';
export { UserEntity } from './identity/user.entity';
export { WorkspaceUserEntity } from './identity/workspace-user.entity';
export { WorkspaceEntity, type WorkspaceDefaults, type WorkspaceSettings } from './identity/workspace.entity';
export { RepricingEntity, type RepricingGroup, type RepricingReport } from './ledger/repricing.entity';
export { FeedbackEntity } from './logs/feedback.entity';
export { LogExportEntity, LogExportPartEntity, type LogExportStatus } from './logs/log-export.entity';
export { MailEntity } from './mails/mail.entity';
export { McpApprovalEntity } from './mcp/mcp-approval.entity';
export { McpCapabilityEntity } from './mcp/mcp-capability.entity';
export { McpConnectTicketEntity } from './mcp/mcp-connect-ticket.entity';
export { McpConnectionEntity } from './mcp/mcp-connection.entity';
export { McpHealthEntity } from './mcp/mcp-health.entity';
export { McpIntegrationVersionEntity } from './mcp/mcp-integration-version.entity';
export { McpIntegrationWorkspaceEntity } from './mcp/mcp-integration-workspace.entity';
export {
  McpIntegrationEntity,
  type StoredMcpServerInfo,
  type StoredToolPrices,
} from './mcp/mcp-integration.entity';
export { McpOauthClientEntity } from './mcp/mcp-oauth-client.entity';
export {
  McpOpenApiDocumentEntity,
  type StoredOpenApiSelection,
  type StoredOperationFilter,
  type StoredSkippedOperation,
} from './mcp/mcp-openapi-document.entity';
export { McpRevocationEntity } from './mcp/mcp-revocation.entity';
export { McpServerCapabilityEntity } from './mcp/mcp-server-capability.entity';
export { McpServerUserEntity } from './mcp/mcp-server-user.entity';
export { McpServerEntity } from './mcp/mcp-server.entity';
export {
  McpToolsetEntity,
  type StoredToolOverride,
  type StoredToolsetMember,
} from './mcp/mcp-toolset.entity';
export { OauthArtifactEntity } from './oauth/oauth-artifact.entity';
export { OauthClientEntity } from './oauth/oauth-client.entity';
export { OauthConsentEntity } from './oauth/oauth-consent.entity';
export { SigningKeyEntity } from './oauth/signing-key.entity';
export { CollectionEntity } from './prompts/collection.entity';
export { LabelEntity } from './prompts/label.entity';
export { PromptLabelEntity } from './prompts/prompt-label.entity';
export { PromptShareEntity } from './prompts/prompt-share.entity';
export { PromptVersionEntity } from './prompts/prompt-version.entity';
export { PromptEntity } from './prompts/prompt.entity';
export { BatchEntity } from './resources/batch.entity';
export { ConfigVersionEntity } from './resources/config-version.entity';
export { ConfigEntity } from './resources/config.entity';
export { DeploymentEntity, type DeploymentAuthSettings } from './resources/deployment.entity';
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
export { OrganisationPropertiesEntity } from './resources/organisation-properties.entity';
export { PluginEntity } from './resources/plugin.entity';
export { ProviderEntity, type ProviderStatus } from './resources/provider.entity';
export { RateLimitPolicyEntity } from './resources/rate-limit-policy.entity';
export { SecretReferenceEntity } from './resources/secret-reference.entity';
export { UsageLimitPolicyValueEntity } from './resources/usage-limit-policy-value.entity';
export { UsageLimitPolicyEntity } from './resources/usage-limit-policy.entity';
export { WorkspaceExclusionEntity } from './resources/workspace-exclusion.entity';
export { ScimExchangeEntity } from './scim/scim-exchange.entity';
export { ScimGroupEntity, ScimGroupMemberEntity } from './scim/scim-group.entity';
export { ScimTokenEntity } from './scim/scim-token.entity';
export { ScimUserEntity } from './scim/scim-user.entity';
export { ScimWorkspaceMappingEntity } from './scim/scim-workspace-mapping.entity';
export {
  type SamlSettings,
  SsoConnectionEntity,
  type SamlMetadataPart,
  type SsoGroupRule,
  type TokenEndpointAuthMethod,
} from './sso/sso-connection.entity';
export { SsoFlowEntity, SsoLinkEntity } from './sso/sso-flow.entity';
export { SsoSessionEntity, SsoUsedMessageEntity } from './sso/sso-session.entity';
