import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { OrganisationEntity } from '../identity/organisation.entity';
import { UserEntity } from '../identity/user.entity';
import { PlainRow, Row } from '../row';

/** A group of an identity provider. */
@Entity('scim_groups')
@Index('scim_groups_name_uq', ['organisationId', 'displayNameKey'], { unique: true })
@Index('scim_groups_external_uq', ['organisationId', 'externalId'], {
  unique: true,
  where: 'external_id IS NOT NULL',
})
@Index('scim_groups_created_at_ix', ['organisationId', 'createdAt', 'id'])
export class ScimGroupEntity extends Row {
  @PrimaryColumn({ name: 'id', type: 'uuid', primaryKeyConstraintName: 'scim_groups_pk' })
  id!: string;

  @Column({ name: 'organisation_id', type: 'uuid' })
  @ForeignKey(() => OrganisationEntity, { name: 'scim_groups_organisation_fk' })
  organisationId!: string;

  @Column({ name: 'external_id', type: 'varchar', length: 255, nullable: true })
  externalId!: string | null;

  @Column({ name: 'display_name', type: 'varchar', length: 255 })
  displayName!: string;

  /** `displayName` in lower case, because names are unique regardless of case. */
  @Column({ name: 'display_name_key', type: 'varchar', length: 255 })
  displayNameKey!: string;
}

@Entity('scim_group_members')
export class ScimGroupMemberEntity extends PlainRow {
  @PrimaryColumn({ name: 'group_id', type: 'uuid', primaryKeyConstraintName: 'scim_group_members_pk' })
  @ForeignKey(() => ScimGroupEntity, { name: 'scim_group_members_group_fk', onDelete: 'CASCADE' })
  groupId!: string;

  @PrimaryColumn({ name: 'user_id', type: 'uuid', primaryKeyConstraintName: 'scim_group_members_pk' })
  @ForeignKey(() => UserEntity, { name: 'scim_group_members_user_fk' })
  @Index('scim_group_members_user_id_ix')
  userId!: string;
}
