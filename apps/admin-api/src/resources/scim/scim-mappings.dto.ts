import type { ScimGroupEntity, ScimWorkspaceMappingEntity } from '@gw/entities';
import { EnumField, NameField, QueryIntegerField, ReferenceField, ResponseField, UuidField } from '@gw/web';
import { Transform } from 'class-transformer';

type Role = ScimWorkspaceMappingEntity['role'];
const ROLES: readonly Role[] = ['admin', 'manager', 'member'];
const PAGE_SIZE = 100;

/** Converts a role to lower case. */
const Lowered = (): PropertyDecorator =>
  Transform(({ value }: { value: unknown }) => (typeof value === 'string' ? value.toLowerCase() : value));

export class CreateScimMappingDto {
  @ReferenceField({ description: 'Id or slug of the workspace.', example: 'ws-search' })
  workspace_id!: string;
  @Lowered()
  @EnumField(ROLES, { description: 'Role in upper or lower case.', example: 'member' })
  role!: Role;
  @UuidField({ optional: true, description: 'Id of the group. Send it or scim_group_name.' })
  scim_group_id?: string;
  @NameField({
    optional: true,
    description: 'Name of the group. Send it or scim_group_id. The group is created if none has the name.',
  })
  scim_group_name?: string;
}

class ScimPage {
  @QueryIntegerField({
    min: 0,
    max: Number.MAX_SAFE_INTEGER,
    fallback: 0,
    description: 'Page, counted from 0.',
  })
  page!: number;
  @QueryIntegerField({ min: 1, max: 1_000, fallback: PAGE_SIZE }) page_size!: number;
}

export class ListScimMappingsQuery extends ScimPage {
  @ReferenceField({ optional: true, description: 'Id or slug of the workspace.' }) workspace_id?: string;
  @UuidField({ optional: true }) scim_group_id?: string;
  @Lowered() @EnumField(ROLES, { optional: true, description: 'Role in upper or lower case.' }) role?: Role;
}

export class ListScimGroupsQuery extends ScimPage {
  @NameField({ optional: true, description: 'Text that the name must contain, ignoring case.' })
  search?: string;
}

export class ScimMappingResponse {
  @ResponseField.uuid() readonly id!: string;
  @ResponseField.uuid() readonly workspace_id!: string;
  @ResponseField.text({ description: 'Name of the group.', example: 'Engineering' })
  readonly scim_group!: string;
  @ResponseField.uuid() readonly scim_group_id!: string;
  @ResponseField.oneOf(ROLES) readonly role!: Role;
}

class ScimPageResponse {
  @ResponseField.integer({ example: 0 }) readonly page!: number;
  @ResponseField.integer({ example: PAGE_SIZE }) readonly page_size!: number;
  @ResponseField.integer({ example: 1 }) readonly total_count!: number;
}

export class ScimMappingListResponse extends ScimPageResponse {
  @ResponseField.list(() => ScimMappingResponse) readonly mappings!: readonly ScimMappingResponse[];
}

export class ScimGroupResponse {
  @ResponseField.uuid() readonly id!: string;
  @ResponseField.text({ example: 'Engineering' }) readonly name!: string;
  @ResponseField.text({
    nullable: true,
    description: 'Id of the group at the identity provider.',
    example: '00g1',
  })
  readonly external_id!: string | null;
  @ResponseField.integer({ description: 'Number of members.', example: 12 }) readonly members!: number;
  @ResponseField.time() readonly created_at!: string;
}

export class ScimGroupListResponse extends ScimPageResponse {
  @ResponseField.list(() => ScimGroupResponse) readonly groups!: readonly ScimGroupResponse[];
}

export class DeletedScimMapping {
  @ResponseField.boolean() readonly success!: true;
}

export const toMapping = (
  { id, workspaceId, groupId, role }: ScimWorkspaceMappingEntity,
  { displayName }: Pick<ScimGroupEntity, 'displayName'>,
): ScimMappingResponse => ({
  id,
  workspace_id: workspaceId,
  scim_group: displayName,
  scim_group_id: groupId,
  role,
});
