import { BooleanField, EnumField, NestedListField, ResponseField, TextField, UuidField } from '@gw/web';
import { UpstreamPage } from './upstream-page';

export const ALLOW_DENY = ['allow', 'deny'] as const;
export type AllowDeny = (typeof ALLOW_DENY)[number];

export class UserAccessQuery extends UpstreamPage {
  @TextField({ optional: true, description: 'Text that the name or email address must contain.' })
  search?: string;
}

class UserSwitchDto {
  @UuidField({ description: 'Id of a member of the workspace.' }) user_id!: string;
  @BooleanField() enabled!: boolean;
}

export class UpdateUserAccessDto {
  @NestedListField(() => UserSwitchDto, {
    optional: true,
    maxItems: 1_000,
    description: 'Exceptions from the default. Exceptions of members who are not listed stay.',
  })
  user_access?: UserSwitchDto[];
  @EnumField(ALLOW_DENY, { optional: true, description: 'Access of members without an exception.' })
  default_user_access?: AllowDeny;
}

export class MemberAccessResponse {
  @ResponseField.uuid() readonly user_id!: string;
  @ResponseField.text({ nullable: true, example: 'Ada' }) readonly first_name!: string | null;
  @ResponseField.text({ nullable: true, example: 'Lovelace' }) readonly last_name!: string | null;
  @ResponseField.boolean() readonly enabled!: boolean;
  @ResponseField.boolean({ description: 'True when the member has an exception.' })
  readonly has_override!: boolean;
}
