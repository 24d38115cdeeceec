import { EnumField, ReferenceField, ResponseField, TextField, TextListField } from '@gw/web';

export class DefaultWorkspaceDto {
  @ReferenceField({ description: 'Id or slug of the workspace.', example: 'ws-search' }) workspace!: string;
  @EnumField(['admin', 'manager', 'member'], { example: 'member' }) role!: 'admin' | 'manager' | 'member';
}

export class GroupRuleDto {
  @EnumField(['exact', 'prefix', 'regex'], {
    description: 'regex: RE2 syntax, matched anywhere in the name; at most 10 such rules.',
    example: 'exact',
  })
  match!: 'exact' | 'prefix' | 'regex';
  @TextField({ min: 1, max: 255, example: 'engineering' }) value!: string;
  @ReferenceField({
    optional: true,
    nullable: true,
    description: 'Id or slug of a workspace; absent for a role in the organisation.',
    example: 'ws-search',
  })
  workspace?: string | null;
  @EnumField(['admin', 'manager', 'member'], {
    description: 'Role in the workspace; in the organisation, only admin.',
    example: 'member',
  })
  role!: 'admin' | 'manager' | 'member';
}

export class DefaultWorkspaceResponse {
  @ResponseField.uuid() readonly workspace!: string;
  @ResponseField.oneOf(['admin', 'manager', 'member']) readonly role!: string;
}

export class GroupRuleResponse {
  @ResponseField.oneOf(['exact', 'prefix', 'regex']) readonly match!: string;
  @ResponseField.text({ example: 'engineering' }) readonly value!: string;
  @ResponseField.uuid({ nullable: true }) readonly workspace!: string | null;
  @ResponseField.oneOf(['admin', 'manager', 'member']) readonly role!: string;
}

export class GroupsPreviewDto {
  @TextListField({ maxItems: 1_000, description: 'Names of groups of a user.', example: ['engineering'] })
  groups!: string[];
}

/** Roles that a user with these groups would have. */
export class GroupsPreviewResponse {
  @ResponseField.oneOf(['admin', 'member']) readonly organisation_role!: 'admin' | 'member';
  @ResponseField.list(() => DefaultWorkspaceResponse, {
    description: 'Roles from groups and from default_workspaces.',
  })
  readonly workspaces!: readonly DefaultWorkspaceResponse[];
  @ResponseField.boolean({
    description:
      'False: some patterns were not matched, because matching them against so many groups takes too long.',
  })
  readonly complete!: boolean;
  @ResponseField.kind('sso-groups-preview') readonly object!: 'sso-groups-preview';
}
