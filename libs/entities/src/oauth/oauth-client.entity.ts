import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { OrganisationEntity } from '../identity/organisation.entity';
import { Row } from '../row';

/**
 * A client of the OAuth server that an administrator registered, or that registered itself (RFC
 * 7591).
 */
@Entity('oauth_clients')
@Index('oauth_clients_network_ix', ['createdNetwork', 'createdAt'])
export class OauthClientEntity extends Row {
  /** The `client_id`. */
  @PrimaryColumn({
    ...{ name: 'client_id', type: 'varchar', length: 64 },
    primaryKeyConstraintName: 'oauth_clients_pk',
  })
  id!: string;

  @Column({ name: 'kind', type: 'varchar', length: 16 })
  kind!: 'registered' | 'dynamic';

  /** The organisation whose users may use the client; null for all. */
  @Index('oauth_clients_organisation_id_ix')
  @Column({ name: 'organisation_id', type: 'uuid', nullable: true })
  @ForeignKey(() => OrganisationEntity, { name: 'oauth_clients_organisation_fk' })
  organisationId!: string | null;

  @Column({ name: 'name', type: 'varchar', length: 255 })
  name!: string;

  /** Client metadata of RFC 7591, without id and secret. */
  @Column({ name: 'metadata', type: 'jsonb' })
  metadata!: object;

  /** `seal()` of the client secret, bound to the client; null for public clients. */
  @Column({ name: 'sealed_secret', type: 'text', nullable: true })
  sealedSecret!: string | null;

  /** Network that registered the client; null for one of an administrator. */
  @Column({ name: 'created_network', type: 'varchar', length: 64, nullable: true })
  createdNetwork!: string | null;

  /** Time of the client's last grant or token. */
  @Column({ name: 'last_used_at', type: 'timestamptz', precision: 3, nullable: true })
  lastUsedAt!: Date | null;

  @Column({ name: 'status', type: 'varchar', length: 16, default: 'active' })
  status!: 'active' | 'blocked';
}
