import type { AgentIntegrationEntity, AgentServerEntity } from '@gw/entities';
import { plainListResponseOf, ResponseField, responseOf, RowResponse, viewOf } from '@gw/web';
import { AgentTestResponse } from '../../platform/agents/agent-tests';
import { AGENT_CLIENTS, shownConfigurations } from '../../platform/upstreams/client-secrets';
import { healthOf, UpstreamHealthSummary } from '../../platform/upstreams/upstream-health.dto';
import { AgentServerFields, LISTED } from './agent-servers.dto';

export class AgentServerResponse extends responseOf(AgentServerFields, RowResponse) {
  @ResponseField.uuid() readonly id!: string;
  @ResponseField.uuid() readonly organisation_id!: string;
  @ResponseField.uuid() readonly workspace_id!: string;
  @ResponseField.text({ example: 'search' }) readonly workspace_slug!: string;
  @ResponseField.text({ example: 'Search' }) readonly workspace_name!: string;
  @ResponseField.text({ example: 'travel' }) readonly slug!: string;
  @ResponseField.oneOf(['active', 'archived']) readonly status!: 'active' | 'archived';
  @ResponseField.oneOf(LISTED) readonly listed!: 'workspace' | 'public';
  @ResponseField.text({
    nullable: true,
    description: 'Id of the user or key that created the agent.',
    example: '0198f3a1-7c3e-7d7a-9b55-2f4c8e1d6a90',
  })
  readonly owner_id!: string | null;
  @ResponseField.uuid() readonly agent_integration_id!: string;
  @ResponseField.text({ example: 'travel' }) readonly agent_integration_slug!: string;
  @ResponseField.text({ example: 'https://agent.example.com', description: 'Address of the agent.' })
  readonly agent_integration_url!: string;
  @ResponseField.text({ example: 'headers' }) readonly auth_type!: string;
  @ResponseField.text({
    description: 'URL at which clients reach the agent through the gateway.',
    example: 'https://gateway.example.com/search/agents/travel',
  })
  readonly url!: string;
  @ResponseField.one(() => UpstreamHealthSummary, {
    description: 'State of the agent at its last health check.',
  })
  readonly health!: UpstreamHealthSummary;
}

export class AgentServerListResponse extends plainListResponseOf(AgentServerResponse) {}

class AgentServerIntegrationResponse {
  @ResponseField.uuid() readonly id!: string;
  @ResponseField.text({ example: 'travel' }) readonly slug!: string;
  @ResponseField.oneOf(['active', 'archived']) readonly status!: 'active' | 'archived';
  @ResponseField.json({ description: 'Secrets are shown as `*****`.' })
  readonly configurations!: Readonly<Record<string, unknown>>;
  @ResponseField.text({ example: 'https://agent.example.com' }) readonly url!: string;
  @ResponseField.text({ example: 'headers' }) readonly auth_type!: string;
  @ResponseField.oneOf(['pending', 'synced', 'failed']) readonly sync_status!: string;
}

export class AgentServerDetailResponse extends AgentServerResponse {
  @ResponseField.one(() => AgentServerIntegrationResponse)
  readonly agent_integration_details!: AgentServerIntegrationResponse;
}

export class AgentServerTestResponse extends AgentTestResponse {}

/** Rows of other tables whose values the responses show. */
export interface AgentServerParts {
  readonly integration: AgentIntegrationEntity;
  readonly workspace: { readonly slug: string; readonly name: string };
  readonly url: string;
}

type Shared = 'workspace_slug' | 'workspace_name' | 'agent_integration_id' | 'agent_integration_slug';
type Upstream = 'agent_integration_url' | 'auth_type' | 'url' | 'health';

const sharedOf = ({
  integration,
  workspace,
  url,
}: AgentServerParts): Pick<AgentServerResponse, Shared | Upstream> => ({
  workspace_slug: workspace.slug,
  workspace_name: workspace.name,
  agent_integration_id: integration.id,
  agent_integration_slug: integration.slug,
  agent_integration_url: integration.url,
  auth_type: integration.authType,
  url,
  health: healthOf(integration),
});

export const toAgentServer = (row: AgentServerEntity, parts: AgentServerParts): AgentServerResponse =>
  viewOf(AgentServerResponse, row, sharedOf(parts));

export function toAgentServerDetail(
  row: AgentServerEntity,
  parts: AgentServerParts,
): AgentServerDetailResponse {
  const { id, slug, status, url, authType, syncStatus } = parts.integration;
  return viewOf(AgentServerDetailResponse, row, {
    ...sharedOf(parts),
    agent_integration_details: {
      ...{ id, slug, status, url, auth_type: authType, sync_status: syncStatus },
      configurations: shownConfigurations(AGENT_CLIENTS, parts.integration),
    },
  });
}

/** Returns the form of an agent that the audit log stores. */
export const toAuditedAgentServer = (row: AgentServerEntity): object => ({
  name: row.name,
  slug: row.slug,
  description: row.description,
  status: row.status,
  listed: row.listed,
  agent_integration_id: row.integrationId,
  default_user_access: row.defaultUserAccess,
  access_rules: row.accessRules,
  default: row.defaultEffect,
});
