import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { OrganisationEntity } from '../identity/organisation.entity';
import { UserEntity } from '../identity/user.entity';
import { WorkspaceEntity } from '../identity/workspace.entity';
import { PlainRow } from '../row';

/**
 * A user's consent to a client, the grant of OAuth. Deleting the row ends all codes and tokens of
 * the grant.
 */
@Entity('oauth_consents')
@Index('oauth_consents_user_ix', ['userId', 'clientId', 'resource'])
@Index('oauth_consents_organisation_ix', ['organisationId', 'createdAt', 'id'])
export class OauthConsentEntity extends PlainRow {
  @PrimaryColumn({ name: 'id', type: 'uuid', primaryKeyConstraintName: 'oauth_consents_pk' })
  id!: string;

  @Column({ name: 'user_id', type: 'uuid' })
  @ForeignKey(() => UserEntity, { name: 'oauth_consents_user_fk' })
  userId!: string;

  /** Id of a row of `oauth_clients`, or the URL of a client's metadata document. */
  @Index('oauth_consents_client_id_ix')
  @Column({ name: 'client_id', type: 'varchar', length: 2048 })
  clientId!: string;

  @Column({ name: 'client_name', type: 'varchar', length: 255 })
  clientName!: string;

  @Column({ name: 'resource', type: 'varchar', length: 2048 })
  resource!: string;

  /**
   * Id of the MCP server, toolset, agent or workspace that the resource named at consent; null for
   * the API itself. Deleting it ends the tokens.
   */
  @Index('oauth_consents_target_id_ix')
  @Column({ name: 'target_id', type: 'uuid', nullable: true })
  targetId!: string | null;

  @Column({ name: 'scopes', type: 'jsonb' })
  scopes!: readonly string[];

  @Column({ name: 'organisation_id', type: 'uuid' })
  @ForeignKey(() => OrganisationEntity, { name: 'oauth_consents_organisation_fk' })
  organisationId!: string;

  /** Workspace of the grant; null for the whole organisation within the user's role. */
  @Index('oauth_consents_workspace_id_ix')
  @Column({ name: 'workspace_id', type: 'uuid', nullable: true })
  @ForeignKey(() => WorkspaceEntity, { name: 'oauth_consents_workspace_fk' })
  workspaceId!: string | null;

  /**
   * The grant to which the user agreed; null if it is this one. If set, this grant was created from
   * that earlier consent without asking the user again.
   */
  @Index('oauth_consents_remembered_from_ix')
  @Column({ name: 'remembered_from', type: 'uuid', nullable: true })
  rememberedFrom!: string | null;

  @Column({ name: 'last_used_at', type: 'timestamptz', precision: 3, nullable: true })
  lastUsedAt!: Date | null;

  /** End of the grant; a refresh extends it. */
  @Index('oauth_consents_expires_at_ix')
  @Column({ name: 'expires_at', type: 'timestamptz', precision: 3 })
  expiresAt!: Date;
}
