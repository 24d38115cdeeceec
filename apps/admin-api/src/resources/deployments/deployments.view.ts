import type { DeploymentEntity, GatewayEntity } from '@gw/entities';
import { pickOf, ResponseField, responseOf, RowResponse, viewOf } from '@gw/web';
import { GatewayResponse, GatewayWarningResponse } from './gateways.dto';
import { toGateway } from './gateways.service';
import { PlainFields, SOURCE_TYPES } from './deployments.dto';

class RegistryResponse {
  @ResponseField.text({ example: 'puller' }) readonly username!: string;
  @ResponseField.text({ example: '*****' }) readonly password!: string;
}

export class CreatedDeploymentResponse {
  @ResponseField.uuid() readonly id!: string;
  @ResponseField.text({ example: 'production-eu' }) readonly slug!: string;
  @ResponseField.uuid() readonly organisation_id!: string;
  @ResponseField.text({
    description: 'Secret with which gateways authenticate. Later responses do not show it.',
    example: 'a1b2…',
  })
  readonly client_auth!: string;
  @ResponseField.one(() => RegistryResponse, { nullable: true })
  readonly credentials!: RegistryResponse | null;
  @ResponseField.kind('deployment') readonly object!: 'deployment';
}

export class UpdatedDeploymentResponse {
  @ResponseField.text({
    optional: true,
    description: 'New secret; only present after `rotate_auth`.',
    example: 'a1b2…',
  })
  readonly client_auth?: string;
}

const ShownFields = responseOf(pickOf(PlainFields, 'name', 'type', 'tags'), RowResponse);

export class DeploymentResponse extends ShownFields {
  @ResponseField.uuid() readonly id!: string;
  @ResponseField.text({ example: 'production-eu' }) readonly slug!: string;
  @ResponseField.oneOf(['active', 'archived']) readonly status!: string;
  @ResponseField.bit() readonly is_default!: 0 | 1;
  @ResponseField.oneOf(SOURCE_TYPES) readonly source_type!: string;
  @ResponseField.oneOf(['healthy', 'unhealthy', 'unknown'], { description: 'Result of the last ping.' })
  readonly connection_status!: string;
  @ResponseField.time({ nullable: true, description: 'Time of the last report from one of its gateways.' })
  readonly last_synced_at!: string | null;
  @ResponseField.uuid({ nullable: true }) readonly created_by!: string | null;
  @ResponseField.kind('deployment') readonly object!: 'deployment';
}

class WorkspaceOfDeployment {
  @ResponseField.uuid() readonly id!: string;
  @ResponseField.text({ example: 'search-team' }) readonly slug!: string;
}

class AuthSettingsResponse {
  @ResponseField.text({ optional: true, example: 'https://gateway.example.org/v1' })
  readonly gateway_base_url?: string;
  @ResponseField.text({ optional: true, example: 'https://mcp.example.org' })
  readonly mcp_gateway_base_url?: string;
  @ResponseField.text({ optional: true, example: 'https://link.example.org' })
  readonly private_link_endpoint?: string;
  @ResponseField.bit({ optional: true }) readonly use_private_link_proxy?: 0 | 1;
  @ResponseField.bit({ optional: true }) readonly is_dataservice_hosted?: 0 | 1;
  @ResponseField.bit({ optional: true }) readonly is_playground_proxy_allowed?: 0 | 1;
  @ResponseField.boolean() readonly allow_all_workspaces!: boolean;
  @ResponseField.texts({ description: 'Ids of the workspaces.' })
  readonly workspaces_allowed!: readonly string[];
  @ResponseField.texts({ optional: true }) readonly jwt_subs_allowed?: readonly string[];
  @ResponseField.map({ optional: true }) readonly jwt_sub_workspace_mapping?: Readonly<
    Record<string, string>
  >;
}

export class DeploymentDetailResponse extends DeploymentResponse {
  @ResponseField.uuid() readonly organisation_id!: string;
  @ResponseField.one(() => AuthSettingsResponse) readonly auth_settings!: AuthSettingsResponse;
  @ResponseField.json({ nullable: true }) readonly deployment_config!: Readonly<
    Record<string, unknown>
  > | null;
  @ResponseField.list(() => WorkspaceOfDeployment) readonly workspaces!: readonly WorkspaceOfDeployment[];
  @ResponseField.text({ example: 'a1*****9z8' }) readonly client_auth!: string;
  @ResponseField.one(() => RegistryResponse, { nullable: true })
  readonly credentials!: RegistryResponse | null;
  @ResponseField.list(() => GatewayResponse, {
    description: 'Gateways that reported with its `client_auth` within the last day.',
  })
  readonly gateways!: readonly GatewayResponse[];
  @ResponseField.list(() => GatewayWarningResponse, {
    description: 'Features that a connected gateway lacks because of its version.',
  })
  readonly warnings!: readonly GatewayWarningResponse[];
}

export class PingResponse {
  @ResponseField.oneOf(['healthy', 'unhealthy']) readonly status!: 'healthy' | 'unhealthy';
  @ResponseField.integer({ nullable: true, example: 200 }) readonly status_code!: number | null;
  @ResponseField.integer({ example: 12 }) readonly response_time_ms!: number;
  @ResponseField.kind('deployment-ping') readonly object!: 'deployment-ping';
}

const MASK = '*****';

const shownOf = (row: DeploymentEntity, lastSeenAt: Date | null | undefined) =>
  ({
    is_default: row.isDefault ? 1 : 0,
    last_synced_at: lastSeenAt?.toISOString() ?? null,
    object: 'deployment',
  }) as const;

export const toDeployment = (row: DeploymentEntity, lastSeenAt: Date | null): DeploymentResponse =>
  viewOf(DeploymentResponse, row, shownOf(row, lastSeenAt));

export function toDeploymentDetail(
  row: DeploymentEntity,
  gateways: readonly GatewayEntity[],
  workspaces: readonly WorkspaceOfDeployment[],
): DeploymentDetailResponse {
  const shown = gateways.map(toGateway);
  const warnings = shown.filter(({ connected }) => connected).flatMap((gateway) => gateway.warnings);
  return viewOf(DeploymentDetailResponse, row, {
    ...shownOf(row, gateways[0]?.lastSeenAt),
    auth_settings: {
      ...row.authSettings,
      allow_all_workspaces: row.workspacesAllowed === null,
      workspaces_allowed: row.workspacesAllowed ?? [],
    },
    workspaces,
    client_auth: row.maskedClientAuth,
    credentials: row.registryUsername === null ? null : { username: row.registryUsername, password: MASK },
    gateways: shown,
    warnings: [...new Map(warnings.map((warning) => [warning.message, warning])).values()],
  });
}
