import { ResponseField, BooleanField, NestedListField, ReferenceField, UuidField } from '@gw/web';

export class ExclusionDto {
  @ReferenceField({ description: 'Id or slug of the workspace.', example: 'ws-search-1a2b3c' })
  workspace_id!: string;
  @BooleanField({ example: true }) excluded!: boolean;
}

export class ExclusionsQuery {
  @UuidField({ optional: true, description: 'Must be the caller’s own organisation.' })
  organisation_id?: string;
}

export class UpdateExclusionsDto extends ExclusionsQuery {
  @NestedListField(() => ExclusionDto, {
    maxItems: 1_000,
    example: [{ workspace_id: 'ws-1', excluded: true }],
  })
  workspaces!: ExclusionDto[];
  @BooleanField({
    optional: true,
    description: 'True ends the exclusions of all workspaces that are not in the list.',
  })
  override_existing?: boolean;
}

export class ExclusionResponse {
  @ResponseField.uuid() readonly workspace_id!: string;
  @ResponseField.boolean() readonly excluded!: boolean;
}

export class ExclusionsResponse {
  @ResponseField.list(() => ExclusionResponse, {
    description: 'Exclusions of all workspaces of the organisation.',
  })
  readonly workspaces!: readonly ExclusionResponse[];
  @ResponseField.etag() readonly etag!: string;
}
