import {
  BooleanField,
  NestedField,
  NestedListField,
  ReferenceField,
  ResponseField,
  TextField,
} from '@gw/web';

export class UpstreamWorkspaceDto {
  @ReferenceField({ description: 'Id or slug of the workspace.' }) id!: string;
  @BooleanField() enabled!: boolean;
}

export class UpstreamGlobalAccessDto {
  @BooleanField() enabled!: boolean;
}

export class UpdateUpstreamWorkspacesDto {
  @NestedListField(() => UpstreamWorkspaceDto, {
    maxItems: 1_000,
    description: 'Individual settings of workspaces, which take precedence over global_workspace_access.',
  })
  workspaces!: UpstreamWorkspaceDto[];
  @NestedField(() => UpstreamGlobalAccessDto, {
    optional: true,
    nullable: true,
    description: 'Access of workspaces without an individual setting. Null: none. Absent: unchanged.',
  })
  global_workspace_access?: UpstreamGlobalAccessDto | null;
  @BooleanField({
    optional: true,
    description:
      'True: workspaces that are not in the list lose their individual setting, so that global_workspace_access applies to them.',
  })
  override_existing_workspace_access?: boolean;
}

export class UpstreamWorkspacesQuery {
  @TextField({
    optional: true,
    description: 'With any value, the response contains the list as `data`, with `total`.',
  })
  version?: string;
}

export class UpstreamAccessResponse {
  @ResponseField.boolean() readonly enabled!: boolean;
}

export class UpstreamWorkspaceResponse {
  @ResponseField.uuid() readonly id!: string;
  @ResponseField.boolean() readonly enabled!: boolean;
  @ResponseField.oneOf(['active']) readonly status!: 'active';
  @ResponseField.time() readonly created_at!: string;
  @ResponseField.time() readonly last_updated_at!: string;
}

/**
 * Access of workspaces to an MCP or agent integration. Contains `data` and `total` with the query
 * parameter `version`, and `workspaces` without it.
 */
export class UpstreamWorkspacesResponse {
  @ResponseField.list(() => UpstreamWorkspaceResponse, { optional: true })
  readonly workspaces?: readonly UpstreamWorkspaceResponse[];
  @ResponseField.list(() => UpstreamWorkspaceResponse, { optional: true })
  readonly data?: readonly UpstreamWorkspaceResponse[];
  @ResponseField.integer({ optional: true, example: 1 }) readonly total?: number;
  @ResponseField.one(() => UpstreamAccessResponse, { nullable: true })
  readonly global_workspace_access!: UpstreamAccessResponse | null;
}
