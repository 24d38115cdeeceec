import { EmailField, EnumField, NestedListField, pageOf, UuidField } from '@gw/web';

const ROLES = ['admin', 'manager', 'member'] as const;
type Role = (typeof ROLES)[number];

export class NewMemberDto {
  @UuidField({ description: 'A user of the organisation.' })
  id!: string;

  @EnumField(ROLES)
  role!: Role;
}

export class AddMembersDto {
  @NestedListField(() => NewMemberDto, { minItems: 1, maxItems: 100 })
  users!: NewMemberDto[];
}

export class UpdateMemberDto {
  @EnumField(ROLES)
  role!: Role;
}

export class ListMembersQuery extends pageOf({ size: 50 }) {
  @EnumField(ROLES, { optional: true })
  role?: Role;

  @EmailField({ optional: true })
  email?: string;
}
