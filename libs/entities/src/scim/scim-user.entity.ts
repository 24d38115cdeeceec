import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { OrganisationUserEntity } from '../identity/organisation-user.entity';
import { Row } from '../row';

/**
 * A user of the organisation as its identity provider describes it. The SCIM id is the id of the
 * user.
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

  /** User name in the identity provider's spelling. */
  @Column({ name: 'user_name', type: 'varchar', length: 320 })
  userName!: string;

  /** `userName` in lower case, because names are unique regardless of case. */
  @Column({ name: 'user_name_key', type: 'varchar', length: 320 })
  userNameKey!: string;

  @Column({ name: 'active', type: 'boolean' })
  active!: boolean;

  /** Other attributes of the published schemas, by name. */
  @Column({ name: 'attributes', type: 'jsonb', default: {} })
  attributes!: Readonly<Record<string, unknown>>;

  /** Whether the user's workspace memberships are still to be updated in the background. */
  @Column({ name: 'pending', type: 'boolean', default: false })
  pending!: boolean;
}
