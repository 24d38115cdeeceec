import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { Row } from '../row';
import { OrganisationEntity } from './organisation.entity';

export interface InvitedWorkspace {
  readonly id: string;
  readonly role: 'admin' | 'manager' | 'member';
}

/** The user key that the invited user receives in each workspace of the invite. */
export interface InvitedApiKey {
  readonly name: string | null;
  readonly scopes: readonly string[];
  /** ISO 8601. */
  readonly expires_at: string | null;
  readonly metadata: Readonly<Record<string, string>> | null;
}

/** An invitation to an organisation. Each address has at most one pending invite. */
@Entity('user_invites')
@Index('user_invites_organisation_created_at_ix', ['organisationId', 'createdAt', 'id'])
@Index('user_invites_pending_uq', ['organisationId', 'email'], {
  unique: true,
  where: `(status)::text = 'pending'::text`,
})
export class UserInviteEntity extends Row {
  @PrimaryColumn({ name: 'id', type: 'uuid', primaryKeyConstraintName: 'user_invites_pk' })
  id!: string;

  @Column({ name: 'organisation_id', type: 'uuid' })
  @ForeignKey(() => OrganisationEntity, { name: 'user_invites_organisation_fk' })
  organisationId!: string;

  /** Address in lower case. */
  @Column({ name: 'email', type: 'varchar', length: 320 })
  email!: string;

  @Column({ name: 'role', type: 'varchar', length: 16 })
  role!: 'admin' | 'member';

  @Column({ name: 'first_name', type: 'varchar', length: 255, default: '' })
  firstName!: string;

  @Column({ name: 'last_name', type: 'varchar', length: 255, default: '' })
  lastName!: string;

  @Column({ name: 'workspaces', type: 'jsonb', default: [] })
  workspaces!: InvitedWorkspace[];

  @Column({ name: 'api_key_details', type: 'jsonb', nullable: true })
  apiKeyDetails!: InvitedApiKey | null;

  /**
   * HMAC-SHA256 of the token in the link, hex. Resending replaces it, which invalidates the older
   * link.
   */
  @Index('user_invites_token_hash_uq', { unique: true })
  @Column({ name: 'token_hash', type: 'char', length: 64 })
  tokenHash!: string;

  /** A pending invite counts as expired after `expires_at`, even before a job marks it. */
  @Column({ name: 'status', type: 'varchar', length: 16, default: 'pending' })
  status!: 'pending' | 'accepted' | 'cancelled' | 'expired';

  @Column({ name: 'expires_at', type: 'timestamptz', precision: 3 })
  expiresAt!: Date;

  @Column({ name: 'accepted_at', type: 'timestamptz', precision: 3, nullable: true })
  acceptedAt!: Date | null;

  @Column({ name: 'invited_by', type: 'uuid', nullable: true })
  invitedBy!: string | null;

  /**
   * Whether the link was sent only to the address, so that its use proves the address. False if the
   * inviter has seen it.
   */
  @Column({ name: 'mailed', type: 'boolean', default: false })
  mailed!: boolean;
}
