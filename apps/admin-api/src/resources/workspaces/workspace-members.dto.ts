import { UUID } from '@gw/kernel';
import {
  customField,
  EmailField,
  EnumField,
  NestedListField,
  pageOf,
  pickOf,
  ResponseField,
  UuidField,
} from '@gw/web';
import { ArrayMaxSize, IsArray, ValidateBy } from 'class-validator';

const ROLES = ['admin', 'manager', 'member'] as const;
type Role = (typeof ROLES)[number];

export class NewMemberDto {
  @UuidField({
    description: 'Id of a user of the organisation.',
    example: '0198f3a1-7c3e-7d7a-9b55-2f4c8e1d6a90',
  })
  id!: string;
  @EnumField(ROLES, { example: 'member' }) role!: Role;
}

export class UpdateMemberDto extends pickOf(NewMemberDto, 'role') {}

export class AddMembersDto {
  @NestedListField(() => NewMemberDto, { minItems: 1, maxItems: 100 }) users!: NewMemberDto[];
}

export class ListMembersQuery extends pageOf({ size: 50 }) {
  @EnumField(ROLES, { optional: true }) role?: Role;
  @EmailField({ optional: true }) email?: string;
}

/** A user of a workspace. */
export class MemberResponse {
  @ResponseField.kind('workspace-user') readonly object!: 'workspace-user';
  @ResponseField.uuid() readonly id!: string;
  @ResponseField.text({ example: 'ada@example.com' }) readonly email!: string;
  @ResponseField.text({ example: 'Ada' }) readonly first_name!: string;
  @ResponseField.text({ example: 'Lovelace' }) readonly last_name!: string;
  @ResponseField.oneOf(['owner', 'admin', 'member']) readonly org_role!: string;
  @ResponseField.oneOf(ROLES) readonly role!: Role;
  @ResponseField.oneOf(['active']) readonly status!: 'active';
  @ResponseField.uuid() readonly workspace_id!: string;
  @ResponseField.time() readonly created_at!: string;
  @ResponseField.time() readonly last_updated_at!: string;
  @ResponseField.etag() readonly etag!: string;
}

const isFirstMember = (value: unknown): boolean => {
  if (typeof value === 'string') return UUID.test(value);
  if (typeof value !== 'object' || value === null) return false;
  const { id, role } = value as Partial<Record<string, unknown>>;
  return typeof id === 'string' && UUID.test(id) && ROLES.some((known) => known === role);
};

/**
 * Declares the members of a new workspace: a user id alone gives the role `member`; an object
 * contains the id and the role.
 */
export const FirstMembersField = (): PropertyDecorator =>
  customField(
    { optional: true, description: 'Users of the organisation. A user id alone gives the role member.' },
    {
      type: 'array',
      maxItems: 100,
      items: {
        anyOf: [
          { type: 'string', format: 'uuid' },
          {
            type: 'object',
            required: ['id', 'role'],
            properties: {
              id: { type: 'string', format: 'uuid' },
              role: { type: 'string', enum: [...ROLES] },
            },
          },
        ],
      },
    },
    IsArray(),
    ArrayMaxSize(100),
    ValidateBy(
      {
        name: 'isFirstMember',
        validator: {
          validate: isFirstMember,
          defaultMessage: () => 'each of $property must be a user id, or an object with id and role',
        },
      },
      { each: true },
    ),
  );

export const toNewMembers = (users: readonly (string | NewMemberDto)[] = []): NewMemberDto[] =>
  users.map((user) => (typeof user === 'string' ? { id: user, role: 'member' } : user));
