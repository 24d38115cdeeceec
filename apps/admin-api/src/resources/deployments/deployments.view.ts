import type { DeploymentEntity, GatewayEntity } from '@gw/entities';
import { Answer, RowAnswer, rowFields } from '@gw/web';
import { GatewayAnswer, GatewayWarningAnswer } from './gateways.dto';
import { toGateway } from './gateways.service';
import { DEPLOYMENT_TYPES, SOURCE_TYPES } from './deployments.dto';

class RegistryAnswer {
  @Answer.text({ example: 'puller' }) readonly username!: string;
  @Answer.text({ example: '*****' }) readonly password!: string;
}

export class CreatedDeploymentAnswer {
  @Answer.uuid() readonly id!: string;
  @Answer.text({ example: 'production-eu' }) readonly slug!: string;
  @Answer.uuid() readonly organisation_id!: string;
  @Answer.text({ description: 'What its gateways show; shown this once.', example: 'a1b2…' })
  readonly client_auth!: string;
  @Answer.one(() => RegistryAnswer, { nullable: true }) readonly credentials!: RegistryAnswer | null;
  @Answer.kind('deployment') readonly object!: 'deployment';
}

export class UpdatedDeploymentAnswer {
  @Answer.text({ optional: true, description: 'After `rotate_auth` alone.', example: 'a1b2…' })
  readonly client_auth?: string;
}

export class DeploymentAnswer extends RowAnswer {
  @Answer.uuid() readonly id!: string;
  @Answer.text({ example: 'Production EU' }) readonly name!: string;
  @Answer.text({ example: 'production-eu' }) readonly slug!: string;
  @Answer.oneOf(DEPLOYMENT_TYPES) readonly type!: string;
  @Answer.oneOf(['active', 'archived']) readonly status!: string;
  @Answer.bit() readonly is_default!: 0 | 1;
  @Answer.oneOf(SOURCE_TYPES) readonly source_type!: string;
  @Answer.oneOf(['healthy', 'unhealthy', 'unknown'], { description: 'Of the last ping.' })
  readonly connection_status!: string;
  @Answer.time({ nullable: true, description: 'When one of its gateways last reported.' })
  readonly last_synced_at!: string | null;
  @Answer.uuid({ nullable: true }) readonly created_by!: string | null;
  @Answer.map({ nullable: true }) readonly tags!: Readonly<Record<string, string>> | null;
  @Answer.kind('deployment') readonly object!: 'deployment';
}

class WorkspaceOfDeployment {
  @Answer.uuid() readonly id!: string;
  @Answer.text({ example: 'search-team' }) readonly slug!: string;
}

class AuthSettingsAnswer {
  @Answer.text({ optional: true, example: 'https://gateway.example.org/v1' })
  readonly gateway_base_url?: string;
  @Answer.text({ optional: true, example: 'https://mcp.example.org' }) readonly mcp_gateway_base_url?: string;
  @Answer.text({ optional: true, example: 'https://link.example.org' })
  readonly private_link_endpoint?: string;
  @Answer.bit({ optional: true }) readonly use_private_link_proxy?: 0 | 1;
  @Answer.bit({ optional: true }) readonly is_dataservice_hosted?: 0 | 1;
  @Answer.bit({ optional: true }) readonly is_playground_proxy_allowed?: 0 | 1;
  @Answer.boolean() readonly allow_all_workspaces!: boolean;
  @Answer.texts({ description: 'Ids.' }) readonly workspaces_allowed!: readonly string[];
  @Answer.texts({ optional: true }) readonly jwt_subs_allowed?: readonly string[];
  @Answer.map({ optional: true }) readonly jwt_sub_workspace_mapping?: Readonly<Record<string, string>>;
}

export class DeploymentDetailAnswer extends DeploymentAnswer {
  @Answer.uuid() readonly organisation_id!: string;
  @Answer.one(() => AuthSettingsAnswer) readonly auth_settings!: AuthSettingsAnswer;
  @Answer.json({ nullable: true }) readonly deployment_config!: Readonly<Record<string, unknown>> | null;
  @Answer.list(() => WorkspaceOfDeployment) readonly workspaces!: readonly WorkspaceOfDeployment[];
  @Answer.text({ example: 'a1*****9z8' }) readonly client_auth!: string;
  @Answer.one(() => RegistryAnswer, { nullable: true }) readonly credentials!: RegistryAnswer | null;
  @Answer.list(() => GatewayAnswer, { description: 'That showed its `client_auth` within the last day.' })
  readonly gateways!: readonly GatewayAnswer[];
  @Answer.list(() => GatewayWarningAnswer, {
    description: 'Of connected gateways that are too old for a feature.',
  })
  readonly warnings!: readonly GatewayWarningAnswer[];
}

export class PingAnswer {
  @Answer.oneOf(['healthy', 'unhealthy']) readonly status!: 'healthy' | 'unhealthy';
  @Answer.integer({ nullable: true, example: 200 }) readonly status_code!: number | null;
  @Answer.integer({ example: 12 }) readonly response_time_ms!: number;
  @Answer.kind('deployment-ping') readonly object!: 'deployment-ping';
}

const MASK = '*****';

export const toDeployment = (row: DeploymentEntity, lastSeenAt: Date | null): DeploymentAnswer => ({
  id: row.id,
  name: row.name,
  slug: row.slug,
  type: row.type,
  status: row.status,
  is_default: row.isDefault ? 1 : 0,
  source_type: row.sourceType,
  connection_status: row.connectionStatus,
  last_synced_at: lastSeenAt?.toISOString() ?? null,
  created_by: row.createdBy,
  tags: row.tags,
  ...rowFields(row),
  object: 'deployment',
});

export function toDeploymentDetail(
  row: DeploymentEntity,
  gateways: readonly GatewayEntity[],
  workspaces: readonly WorkspaceOfDeployment[],
): DeploymentDetailAnswer {
  const shown = gateways.map(toGateway);
  const warnings = shown.filter(({ connected }) => connected).flatMap((gateway) => gateway.warnings);
  return {
    ...toDeployment(row, gateways[0]?.lastSeenAt ?? null),
    organisation_id: row.organisationId,
    auth_settings: {
      ...row.authSettings,
      allow_all_workspaces: row.workspacesAllowed === null,
      workspaces_allowed: row.workspacesAllowed ?? [],
    },
    deployment_config: row.deploymentConfig,
    workspaces,
    client_auth: row.maskedClientAuth,
    credentials: row.registryUsername === null ? null : { username: row.registryUsername, password: MASK },
    gateways: shown,
    warnings: [...new Map(warnings.map((warning) => [warning.message, warning])).values()],
  };
}
