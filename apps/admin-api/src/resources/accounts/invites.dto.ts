import {
  ResponseField,
  DateField,
  EmailField,
  EnumField,
  MapField,
  NameField,
  NestedField,
  NestedListField,
  ReferenceField,
  RowResponse,
  TextField,
  TextListField,
} from '@gw/web';
import { UserPageQuery } from '../../platform/common/user-page';

const ROLES = ['admin', 'member'] as const;
const WORKSPACE_ROLES = ['admin', 'manager', 'member'] as const;
export const INVITE_STATUSES = ['pending', 'cancelled', 'accepted', 'expired'] as const;

export type InviteRole = (typeof ROLES)[number];
type WorkspaceRole = (typeof WORKSPACE_ROLES)[number];
export type InviteStatus = (typeof INVITE_STATUSES)[number];

export class InvitedWorkspaceDto {
  @ReferenceField({ description: 'Id or slug of the workspace.', example: 'ws-search-3f9a1c' }) id!: string;
  @EnumField(WORKSPACE_ROLES, { example: 'member' }) role!: WorkspaceRole;
}

class KeyDefaultsDto {
  @MapField({ optional: true, nullable: true }) metadata?: Record<string, string> | null;
}

/** The user key that the invited user gets in each of the workspaces. */
export class InvitedApiKeyDto {
  @NameField({ optional: true, nullable: true }) name?: string | null;
  @DateField({ optional: true, nullable: true }) expiry?: string | null;
  @MapField({ optional: true, nullable: true }) metadata?: Record<string, string> | null;
  @NestedField(() => KeyDefaultsDto, { optional: true, nullable: true }) defaults?: KeyDefaultsDto | null;
  @TextListField({ minItems: 1, maxItems: 300, example: ['completions.write'] }) scopes!: string[];
}

export class CreateInviteDto {
  @EmailField({ example: 'ada@example.com' }) email!: string;
  @EnumField(ROLES, { example: 'member' }) role!: InviteRole;
  @NestedListField(() => InvitedWorkspaceDto, { maxItems: 100 }) workspaces!: InvitedWorkspaceDto[];
  @NestedField(() => InvitedApiKeyDto, { optional: true, nullable: true })
  workspace_api_key_details?: InvitedApiKeyDto | null;
  @TextField({ optional: true, min: 0 }) first_name?: string;
  @TextField({ optional: true, min: 0 }) last_name?: string;
}

export class AcceptInviteDto {
  @TextField({ max: 128, description: 'The last part of the link.', example: 'aB3dE6gH9jK2mN5pQ8sT1vW4yZ7' })
  token!: string;
  @TextField({
    max: 1024,
    description:
      'The password to set for a new user, at least 12 characters. For an existing user, their current password.',
    example: 'correct horse battery staple',
  })
  password!: string;
  @TextField({ optional: true, min: 0 }) first_name?: string;
  @TextField({ optional: true, min: 0 }) last_name?: string;
}

export class ListInvitesQuery extends UserPageQuery {
  @EnumField(ROLES, { optional: true }) role?: InviteRole;
  @EmailField({ optional: true }) email?: string;
  @EnumField(INVITE_STATUSES, { optional: true }) status?: InviteStatus;
}

class InvitedWorkspaceResponse {
  @ResponseField.uuid() readonly id!: string;
  @ResponseField.oneOf(WORKSPACE_ROLES) readonly role!: WorkspaceRole;
}

export class InviteResponse extends RowResponse {
  @ResponseField.kind('invite') readonly object!: 'invite';
  @ResponseField.uuid() readonly id!: string;
  @ResponseField.text({ example: 'ada@example.com' }) readonly email!: string;
  @ResponseField.oneOf(ROLES) readonly role!: InviteRole;
  @ResponseField.oneOf(INVITE_STATUSES) readonly status!: InviteStatus;
  @ResponseField.list(() => InvitedWorkspaceResponse)
  readonly workspaces!: readonly InvitedWorkspaceResponse[];
  @ResponseField.time() readonly expires_at!: string;
  @ResponseField.time({ nullable: true }) readonly accepted_at!: string | null;
  @ResponseField.uuid({
    nullable: true,
    description: 'The user who created the invite; null for an API key.',
  })
  readonly invited_by!: string | null;
}

export class CreatedInvite {
  @ResponseField.uuid() readonly id!: string;
  @ResponseField.text({
    nullable: true,
    description:
      'The link works once. Null if mail is configured; the link is then only mailed to the invited address.',
    example: 'https://console.example.com/invite/aB3dE6gH9jK2mN5pQ8sT1vW4yZ7',
  })
  readonly invite_link!: string | null;
  @ResponseField.kind('invite') readonly object!: 'invite';
}

export class ResentInvite {
  @ResponseField.text({
    nullable: true,
    description:
      'All earlier links of the invite stop working. Null if mail is configured; the link is then only mailed to the invited address.',
    example: 'https://console.example.com/invite/aB3dE6gH9jK2mN5pQ8sT1vW4yZ7',
  })
  readonly inviteLink!: string | null;
}

export class AcceptedInvite {
  @ResponseField.kind('user') readonly object!: 'user';
  @ResponseField.uuid() readonly id!: string;
  @ResponseField.text({ example: 'ada@example.com' }) readonly email!: string;
  @ResponseField.uuid() readonly organisation_id!: string;
}
