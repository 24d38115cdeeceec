import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { OrganisationUserEntity } from '../identity/organisation-user.entity';
import { Row } from '../row';

/**
 * User of the organisation as its identity provider knows it. Its id in SCIM is the id of the user.
 */
@Entity('scim_users')
@Index('scim_users_name_uq', ['organisationId', 'userNameKey'], { unique: true })
@Index('scim_users_external_uq', ['organisationId', 'externalId'], {
  unique: true,
  where: 'external_id IS NOT NULL',
})
@Index('scim_users_created_at_ix', ['organisationId', 'createdAt', 'userId'])
@Index('scim_users_pending_ix', ['organisationId', 'userId'], { where: 'pending' })
@ForeignKey(() => OrganisationUserEntity, ['organisationId', 'userId'], ['organisationId', 'userId'], {
  name: 'scim_users_member_fk',
})
export class ScimUserEntity extends Row {
  @PrimaryColumn({ name: 'organisation_id', type: 'uuid', primaryKeyConstraintName: 'scim_users_pk' })
  organisationId!: string;

  @PrimaryColumn({ name: 'user_id', type: 'uuid', primaryKeyConstraintName: 'scim_users_pk' })
  userId!: string;

  @Column({ name: 'external_id', type: 'varchar', length: 255, nullable: true })
  externalId!: string | null;

  /** As the identity provider spells it. */
  @Column({ name: 'user_name', type: 'varchar', length: 320 })
  userName!: string;

  /** `userName` in lower case: names are unique in any case. */
  @Column({ name: 'user_name_key', type: 'varchar', length: 320 })
  userNameKey!: string;

  @Column({ name: 'active', type: 'boolean' })
  active!: boolean;

  /** The other attributes of the published schemas, by their names in them. */
  @Column({ name: 'attributes', type: 'jsonb', default: {} })
  attributes!: Readonly<Record<string, unknown>>;

  /** True: the workspace memberships of the user follow later, in the background. */
  @Column({ name: 'pending', type: 'boolean', default: false })
  pending!: boolean;
}
