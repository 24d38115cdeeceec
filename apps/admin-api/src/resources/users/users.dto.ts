import { ResponseField, contentTag, EmailField, EnumField } from '@gw/web';
import { UserPageQuery } from '../../platform/common/user-page';
import { searchable } from '../../platform/resource/list-order';

export class ListUsersQuery extends searchable(UserPageQuery, ['created_at', 'email'], 'name or email') {
  @EnumField(['owner', 'admin', 'member'], { optional: true }) role?: 'owner' | 'admin' | 'member';
  @EmailField({ optional: true }) email?: string;
}

export class UpdateUserDto {
  @EnumField(['owner', 'admin', 'member'], {
    example: 'member',
    description: 'Only an owner can create, change or remove owners.',
  })
  role!: 'owner' | 'admin' | 'member';
}

export class UserResponse {
  @ResponseField.kind('user') readonly object!: 'user';
  @ResponseField.uuid() readonly id!: string;
  @ResponseField.text({ example: 'Ada' }) readonly first_name!: string;
  @ResponseField.text({ example: 'Lovelace' }) readonly last_name!: string;
  @ResponseField.text({ example: 'ada@example.com' }) readonly email!: string;
  @ResponseField.oneOf(['owner', 'admin', 'member']) readonly role!: 'owner' | 'admin' | 'member';
  @ResponseField.time() readonly created_at!: string;
  @ResponseField.time() readonly last_updated_at!: string;
  @ResponseField.texts({
    description: 'Workspaces of the user; for owners and admins, all workspaces of the organisation.',
  })
  readonly workspace_ids!: string[];
  @ResponseField.etag() readonly etag!: string;
}

/**
 * Returns the etag of a user. It covers all fields that these routes change or show, except
 * workspaces, whose members have separate etags.
 */
export const userTag = (user: {
  readonly id: string;
  readonly email: string;
  readonly firstName: string;
  readonly lastName: string;
  readonly role: UserResponse['role'];
}): string => contentTag([user.id, user.email, user.firstName, user.lastName, user.role]);
