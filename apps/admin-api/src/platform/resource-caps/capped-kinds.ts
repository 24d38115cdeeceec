import {
  AlertWebhookEntity,
  ApiKeyEntity,
  CollectionEntity,
  ConfigEntity,
  ConfigVersionEntity,
  DeploymentEntity,
  GuardrailEntity,
  GuardrailMcpServerEntity,
  GuardrailVersionEntity,
  IntegrationEntity,
  IntegrationModelEntity,
  LabelEntity,
  LogExportEntity,
  OrganisationUserEntity,
  PluginEntity,
  PromptEntity,
  PromptVersionEntity,
  ProviderEntity,
  RateLimitPolicyEntity,
  SecretReferenceEntity,
  UsageLimitPolicyEntity,
  UserInviteEntity,
  WorkspaceEntity,
} from '@gw/entities';
import { integer } from '@gw/kernel';

/** How many rows of each kind one owner may have. */
export const RESOURCE_CAP_SETTINGS = {
  /** Of each kind of resource in one workspace, or in an organisation where it belongs to none. */
  RESOURCES_MAX: integer({ min: 1, max: 1_000_000 }, 10_000),
  /** API keys of one workspace, users and open invites of one organisation. */
  API_KEYS_MAX: integer({ min: 1, max: 10_000_000 }, 100_000),
  /** Versions of one config, guardrail or prompt. */
  VERSIONS_MAX: integer({ min: 1, max: 1_000_000 }, 10_000),
};

type Setting = keyof typeof RESOURCE_CAP_SETTINGS;

/** What a row belongs to: the member of the entity that names it, and how a message calls it. */
export type Owner = 'workspace' | 'organisation' | 'config' | 'guardrail' | 'prompt' | 'integration';

export interface CappedKind {
  readonly entity: new () => object;
  /** As a message calls them. */
  readonly name: string;
  readonly owner: Owner;
  readonly setting: Setting;
  /** Rows of this state count. Absent: all. */
  readonly status?: string;
  /** The state of those that do not count, since they were deleted. */
  readonly gone?: string;
}

const kind = (
  entity: new () => object,
  name: string,
  owner: Owner,
  more: Partial<CappedKind> = {},
): CappedKind => ({ entity, name, owner, setting: 'RESOURCES_MAX', ...more });
const GONE = { gone: 'archived' } as const;

/** Every kind of row that a caller makes, with who owns it. A spec names the other entities, with why they need no cap. */
export const CAPPED_KINDS: readonly CappedKind[] = [
  kind(WorkspaceEntity, 'workspaces', 'organisation', GONE),
  kind(OrganisationUserEntity, 'users', 'organisation', { setting: 'API_KEYS_MAX', ...GONE }),
  kind(UserInviteEntity, 'open invites', 'organisation', { setting: 'API_KEYS_MAX', status: 'pending' }),
  kind(ApiKeyEntity, 'API keys', 'workspace', { setting: 'API_KEYS_MAX', ...GONE }),
  kind(IntegrationEntity, 'integrations', 'workspace', GONE),
  kind(IntegrationModelEntity, 'models', 'integration'),
  kind(ProviderEntity, 'providers and virtual keys', 'workspace', GONE),
  kind(ConfigEntity, 'configs', 'workspace', GONE),
  kind(ConfigVersionEntity, 'versions', 'config', { setting: 'VERSIONS_MAX' }),
  kind(GuardrailEntity, 'guardrails', 'workspace', GONE),
  kind(GuardrailVersionEntity, 'versions', 'guardrail', { setting: 'VERSIONS_MAX' }),
  kind(GuardrailMcpServerEntity, 'MCP servers', 'guardrail'),
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
