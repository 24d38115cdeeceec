import {
  AgentIntegrationEntity,
  AgentServerEntity,
  AlertWebhookEntity,
  ApiKeyEntity,
  CollectionEntity,
  ConfigEntity,
  ConfigVersionEntity,
  DeploymentEntity,
  GuardrailAgentServerEntity,
  GuardrailEntity,
  GuardrailMcpServerEntity,
  GuardrailVersionEntity,
  IntegrationEntity,
  IntegrationModelEntity,
  LabelEntity,
  LogExportEntity,
  McpIntegrationEntity,
  McpIntegrationVersionEntity,
  McpServerEntity,
  McpToolsetEntity,
  OauthClientEntity,
  OrganisationDomainEntity,
  OrganisationUserEntity,
  PluginEntity,
  PromptEntity,
  PromptVersionEntity,
  ProviderEntity,
  RateLimitPolicyEntity,
  ScimGroupEntity,
  ScimUserEntity,
  ScimWorkspaceMappingEntity,
  SecretReferenceEntity,
  SsoConnectionEntity,
  TrustEntity,
  UsageLimitPolicyEntity,
  UserInviteEntity,
  WorkspaceEntity,
} from '@gw/entities';
import { integer } from '@gw/kernel';

/** Settings for the maximum number of rows of each kind that one owner may have. */
export const RESOURCE_CAP_SETTINGS = {
  /**
   * Maximum for each kind of resource in one workspace, or in the organisation for resources
   * without a workspace.
   */
  RESOURCES_MAX: integer({ min: 1, max: 1_000_000 }, 10_000),
  /** Maximum API keys of one workspace, and maximum users and open invites of one organisation. */
  API_KEYS_MAX: integer({ min: 1, max: 10_000_000 }, 100_000),
  /** Maximum versions of one config, guardrail, prompt or MCP integration. */
  VERSIONS_MAX: integer({ min: 1, max: 1_000_000 }, 10_000),
};

type Setting = keyof typeof RESOURCE_CAP_SETTINGS;

/** Owner of a row as messages name it; the entity's member `<owner>Id` contains its id. */
export type Owner = 'workspace' | 'organisation' | 'config' | 'guardrail' | 'prompt' | 'integration';

export interface CappedKind {
  readonly entity: new () => object;
  /** Name of the kind in messages, plural. */
  readonly name: string;
  readonly owner: Owner;
  readonly setting: Setting;
  /** Only rows with this status count; absent when all rows count. */
  readonly status?: string;
  /** Rows with this status do not count, since they are deleted. */
  readonly gone?: string;
}

const kind = (
  entity: new () => object,
  name: string,
  owner: Owner,
  more: Partial<CappedKind> = {},
): CappedKind => ({ entity, name, owner, setting: 'RESOURCES_MAX', ...more });
const GONE = { gone: 'archived' } as const;

/**
 * All kinds of rows that callers create, with their owner. A spec lists the other entities and why
 * they need no cap.
 */
export const CAPPED_KINDS: readonly CappedKind[] = [
  kind(WorkspaceEntity, 'workspaces', 'organisation', GONE),
  kind(OrganisationUserEntity, 'users', 'organisation', { setting: 'API_KEYS_MAX', ...GONE }),
  kind(UserInviteEntity, 'open invites', 'organisation', { setting: 'API_KEYS_MAX', status: 'pending' }),
  kind(ScimUserEntity, 'SCIM users', 'organisation', { setting: 'API_KEYS_MAX' }),
  kind(ScimGroupEntity, 'SCIM groups', 'organisation'),
  kind(ScimWorkspaceMappingEntity, 'SCIM mappings', 'organisation'),
  kind(SsoConnectionEntity, 'SSO connections', 'organisation'),
  kind(TrustEntity, 'trusts', 'organisation'),
  kind(OrganisationDomainEntity, 'domains', 'organisation'),
  kind(OauthClientEntity, 'OAuth clients', 'organisation'),
  kind(ApiKeyEntity, 'API keys', 'workspace', { setting: 'API_KEYS_MAX', ...GONE }),
  kind(IntegrationEntity, 'integrations', 'workspace', GONE),
  kind(McpIntegrationEntity, 'MCP integrations', 'workspace', GONE),
  kind(IntegrationModelEntity, 'models', 'integration'),
  kind(ProviderEntity, 'providers and virtual keys', 'workspace', GONE),
  kind(ConfigEntity, 'configs', 'workspace', GONE),
  kind(ConfigVersionEntity, 'versions', 'config', { setting: 'VERSIONS_MAX' }),
  kind(GuardrailEntity, 'guardrails', 'workspace', GONE),
  kind(GuardrailVersionEntity, 'versions', 'guardrail', { setting: 'VERSIONS_MAX' }),
  kind(McpIntegrationVersionEntity, 'versions', 'integration', { setting: 'VERSIONS_MAX' }),
  kind(GuardrailMcpServerEntity, 'MCP servers', 'guardrail'),
  kind(GuardrailAgentServerEntity, 'agents', 'guardrail'),
  kind(McpServerEntity, 'MCP servers', 'workspace', GONE),
  kind(AgentIntegrationEntity, 'agent integrations', 'workspace', GONE),
  kind(AgentServerEntity, 'agents', 'workspace', GONE),
  kind(McpToolsetEntity, 'MCP toolsets', 'workspace', GONE),
  kind(CollectionEntity, 'collections', 'workspace', GONE),
  kind(LabelEntity, 'labels', 'workspace', GONE),
  kind(PromptEntity, 'prompts and partials', 'workspace', GONE),
  kind(PromptVersionEntity, 'versions', 'prompt', { setting: 'VERSIONS_MAX' }),
  kind(UsageLimitPolicyEntity, 'usage limit policies', 'workspace', GONE),
  kind(RateLimitPolicyEntity, 'rate limit policies', 'workspace', GONE),
  kind(AlertWebhookEntity, 'alert webhooks', 'workspace'),
  kind(LogExportEntity, 'log exports', 'workspace'),
  kind(SecretReferenceEntity, 'secret references', 'organisation', GONE),
  kind(DeploymentEntity, 'deployments', 'organisation', GONE),
  kind(PluginEntity, 'plugins', 'organisation', GONE),
];
