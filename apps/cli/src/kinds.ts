import type { Kind } from './kind';
import {
  deployments,
  organisationProperties,
  organisationSettings,
  plugins,
  secretReferences,
} from './kinds/organisation.kinds';
import { userKeyConfigs, workspaceExclusions, workspaces } from './kinds/workspace.kinds';
import { apiKeys, configs } from './kinds/config.kinds';
import { collections } from './kinds/collection.kinds';
import { defaultGuardrails, guardrails, workspaceGuardrails } from './kinds/guardrail.kinds';
import { partials, prompts } from './kinds/template.kinds';
import { domains, oauthClients, trusts } from './kinds/identity.kinds';
import { labels } from './kinds/prompt.kinds';
import {
  agentIntegrationAccess,
  agentIntegrations,
  agentServerAccess,
  agentServers,
} from './kinds/agent.kinds';
import { mcpServerAccess } from './kinds/mcp-access.kinds';
import { mcpToolsets } from './kinds/mcp-toolset.kinds';
import { mcpIntegrationAccess, mcpIntegrations, mcpServers } from './kinds/mcp.kinds';
import { ssoConnections } from './kinds/sso.kinds';
import { users } from './kinds/user.kinds';
import { alertWebhooks } from './kinds/webhook.kinds';
import { rateLimitPolicies, usageLimitPolicies } from './kinds/policy.kinds';
import { integrationAccess, integrationModels, integrations, providers } from './kinds/provider.kinds';
import { virtualKeys } from './kinds/virtual-key.kinds';

/**
 * All kinds, each after the kinds that it refers to. Metadata schemas come last, so that they do
 * not apply to older items of the run.
 */
export const KINDS: readonly Kind[] = [
  organisationSettings,
  workspaces,
  domains,
  ssoConnections,
  oauthClients,
  trusts,
  secretReferences,
  integrations,
  integrationModels,
  integrationAccess,
  providers,
  virtualKeys,
  mcpIntegrations,
  mcpIntegrationAccess,
  mcpServers,
  mcpToolsets,
  agentIntegrations,
  agentIntegrationAccess,
  agentServers,
  guardrails,
  defaultGuardrails,
  workspaceGuardrails,
  configs,
  userKeyConfigs,
  users,
  mcpServerAccess,
  agentServerAccess,
  apiKeys,
  labels,
  collections,
  partials,
  prompts,
  usageLimitPolicies,
  rateLimitPolicies,
  alertWebhooks,
  deployments,
  plugins,
  workspaceExclusions,
  organisationProperties,
];
