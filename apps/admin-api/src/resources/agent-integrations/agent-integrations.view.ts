import type { AgentIntegrationEntity } from '@gw/entities';
import { isObject } from '@gw/kernel';
import { ResponseField, responseOf, RowResponse, viewOf } from '@gw/web';
import { SecretMappingResponse, shownMappings } from '../../platform/credentials/secret-mappings';
import { APPROVAL_MODES, ON_CHANGE } from '../../platform/upstreams/approval-choices';
import { AGENT_CLIENTS, shownConfigurations } from '../../platform/upstreams/client-secrets';
import { healthOf, UpstreamHealthSummary } from '../../platform/upstreams/upstream-health.dto';
import { UpstreamAccessResponse } from '../../platform/upstreams/workspace-access.dto';
import { AgentSavedFields } from './agent-integrations.dto';
import { shownAgentPrices } from './agent-prices';

class AgentPricingResponse {
  @ResponseField.number({ example: 0.001 }) readonly per_message_usd!: number;
  @ResponseField.number({ example: 0.01 }) readonly per_task_usd!: number;
}

class AgentEndpointResponse {
  @ResponseField.text({ example: 'https://agent.example.com/rpc' }) readonly url!: string;
  @ResponseField.oneOf(['JSONRPC', 'HTTP+JSON']) readonly binding!: 'JSONRPC' | 'HTTP+JSON';
  @ResponseField.oneOf(['0.3', '1.0']) readonly version!: '0.3' | '1.0';
  @ResponseField.text({ nullable: true, example: 'acme' }) readonly tenant!: string | null;
}

export class AgentIntegrationResponse extends responseOf(AgentSavedFields, RowResponse) {
  @ResponseField.uuid() readonly id!: string;
  @ResponseField.uuid() readonly organisation_id!: string;
  @ResponseField.uuid({ nullable: true }) readonly workspace_id!: string | null;
  @ResponseField.oneOf(['organisation', 'workspace']) readonly type!: 'organisation' | 'workspace';
  @ResponseField.text({ example: 'travel' }) readonly slug!: string;
  @ResponseField.text({
    nullable: true,
    description: 'Id of the user or key that created the integration.',
    example: '0198f3a1-7c3e-7d7a-9b55-2f4c8e1d6a90',
  })
  readonly owner_id!: string | null;
  @ResponseField.oneOf(['active', 'archived']) readonly status!: 'active' | 'archived';
  @ResponseField.json({ description: 'Secrets are shown as `*****`.' })
  readonly configurations!: Readonly<Record<string, unknown>>;
  @ResponseField.list(() => SecretMappingResponse)
  readonly secret_mappings!: readonly SecretMappingResponse[];
  @ResponseField.one(() => UpstreamAccessResponse, { nullable: true })
  readonly global_workspace_access!: AgentIntegrationEntity['globalWorkspaceAccess'];
  @ResponseField.oneOf(APPROVAL_MODES) readonly approval_mode!: AgentIntegrationEntity['approvalMode'];
  @ResponseField.oneOf(ON_CHANGE) readonly on_change!: AgentIntegrationEntity['onChange'];
  @ResponseField.one(() => AgentPricingResponse, { nullable: true })
  readonly pricing!: AgentPricingResponse | null;
  @ResponseField.json({
    nullable: true,
    description:
      'Public keys that an administrator sent; null when there are none. Without these and trusted_keys_url, signatures are not checked.',
  })
  readonly trusted_keys!: Readonly<Record<string, unknown>> | null;
  @ResponseField.text({ nullable: true, example: 'https://agent.example.com/.well-known/jwks.json' })
  readonly trusted_keys_url!: string | null;
  @ResponseField.oneOf(['fetched', 'manual'], {
    description: 'Whether an administrator sent the card (manual) or Tollgate fetched it.',
  })
  readonly source!: AgentIntegrationEntity['source'];
  @ResponseField.oneOf(['verified', 'unsigned', 'untrusted'], {
    nullable: true,
    description: 'Signature state of the newest card; null without trusted keys.',
  })
  readonly signature_state!: AgentIntegrationEntity['signatureState'];
  @ResponseField.one(() => AgentEndpointResponse, {
    nullable: true,
    description: 'Interface that gateways call; null until a card is approved.',
  })
  readonly endpoint!: AgentEndpointResponse | null;
  @ResponseField.oneOf(['pending', 'synced', 'failed']) readonly sync_status!: string;
  @ResponseField.time({ nullable: true }) readonly last_synced_at!: string | null;
  @ResponseField.text({ nullable: true, example: 'The card could not be read.' })
  readonly sync_error!: string | null;
  @ResponseField.integer({
    example: 1,
    description: 'Number of active workspaces that may use the integration.',
  })
  readonly workspaces_count!: number;
  @ResponseField.integer({ example: 2, description: 'Number of skills on the newest card.' })
  readonly skills_count!: number;
  @ResponseField.one(() => UpstreamHealthSummary, {
    description: 'State at the last health check of the agent.',
  })
  readonly health!: UpstreamHealthSummary;
}

export class AgentIntegrationDetailResponse extends AgentIntegrationResponse {
  @ResponseField.json({
    nullable: true,
    description: 'The newest card as the agent published it. It is not trusted. Null until a card was read.',
  })
  readonly agent_card!: Readonly<Record<string, unknown>> | null;
}

export class AgentIntegrationListResponse {
  @ResponseField.list(() => AgentIntegrationResponse) readonly data!: AgentIntegrationResponse[];
  @ResponseField.integer({ example: 1, description: 'Number of integrations on all pages.' })
  readonly total!: number;
  @ResponseField.boolean() readonly has_more!: boolean;
}

class EndedAgentResponse {
  @ResponseField.text({ example: 'agent_servers.travel' }) readonly path!: string;
  @ResponseField.text() readonly message!: string;
}

export class DeletedAgentIntegration {
  /** Agents in workspaces that were archived with the integration; absent when there were none. */
  @ResponseField.list(() => EndedAgentResponse, { optional: true })
  readonly warnings?: readonly EndedAgentResponse[];
}

/** Counts that responses show for an integration. */
export interface AgentCounts {
  readonly workspaces: number;
  /** Number of skills on the card. */
  readonly skills: number;
}

const shared = (row: AgentIntegrationEntity, { workspaces, skills }: AgentCounts) => ({
  type: row.workspaceId === null ? ('organisation' as const) : ('workspace' as const),
  auth_type: row.authType as AgentIntegrationResponse['auth_type'],
  configurations: shownConfigurations(AGENT_CLIENTS, row),
  secret_mappings: shownMappings(row),
  pricing: shownAgentPrices(row.prices),
  trusted_keys: row.trustedKeysUrl === null && row.trustedKeys !== null ? { keys: row.trustedKeys } : null,
  endpoint: row.approvedEndpoint,
  last_synced_at: row.lastSyncedAt?.toISOString() ?? null,
  workspaces_count: workspaces,
  skills_count: skills,
  health: healthOf(row),
});

export const toAgentIntegration = (
  row: AgentIntegrationEntity,
  counts: AgentCounts,
): AgentIntegrationResponse => viewOf(AgentIntegrationResponse, row, shared(row, counts));

export const toAgentIntegrationDetail = (
  row: AgentIntegrationEntity,
  counts: AgentCounts,
  card: string | null,
): AgentIntegrationDetailResponse =>
  viewOf(AgentIntegrationDetailResponse, row, { ...shared(row, counts), agent_card: cardIn(card) });

function cardIn(card: string | null): Readonly<Record<string, unknown>> | null {
  const read: unknown = card === null ? null : JSON.parse(card);
  return isObject(read) ? read : null;
}
