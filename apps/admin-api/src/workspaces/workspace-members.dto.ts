import { EmailField, EnumField, NestedListField, pageOf, UuidField } from '@gw/web';

const ROLES = ['admin', 'manager', 'member'] as const;
type Role = (typeof ROLES)[number];

export class NewMemberDto {
  @UuidField({
    description: 'A user of the organisation.',
    example: '0198f3a1-7c3e-7d7a-9b55-2f4c8e1d6a90',
  })
  id!: string;

  @EnumField(ROLES, { example: 'member' })
  role!: Role;
}

export class AddMembersDto {
  @NestedListField(() => NewMemberDto, { minItems: 1, maxItems: 100 })
  users!: NewMemberDto[];
}

export class UpdateMemberDto {
  @EnumField(ROLES, { example: 'member' })
  role!: Role;
}

export class ListMembersQuery extends pageOf({ size: 50 }) {
  @EnumField(ROLES, { optional: true })
  role?: Role;

  @EmailField({ optional: true })
  email?: string;
}
