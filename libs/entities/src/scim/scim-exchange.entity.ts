import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { OrganisationEntity } from '../identity/organisation.entity';
import { PlainRow } from '../row';

/** One request of an identity provider with its outcome, without its body. */
@Entity('scim_exchanges')
@Index('scim_exchanges_organisation_ix', ['organisationId', 'id'])
export class ScimExchangeEntity extends PlainRow {
  @PrimaryColumn({ name: 'id', type: 'uuid', primaryKeyConstraintName: 'scim_exchanges_pk' })
  id!: string;

  @Column({ name: 'organisation_id', type: 'uuid' })
  @ForeignKey(() => OrganisationEntity, { name: 'scim_exchanges_organisation_fk' })
  organisationId!: string;

  /** Kind of the identity provider, derived from its `user-agent`. */
  @Column({ name: 'dialect', type: 'varchar', length: 16 })
  dialect!: string;

  @Column({ name: 'method', type: 'varchar', length: 8 })
  method!: string;

  /** Path below the SCIM base URL, without the query string. */
  @Column({ name: 'path', type: 'varchar', length: 255 })
  path!: string;

  @Column({ name: 'status', type: 'smallint' })
  status!: number;

  @Column({ name: 'scim_type', type: 'varchar', length: 32, nullable: true })
  scimType!: string | null;

  @Column({ name: 'detail', type: 'varchar', length: 1024, nullable: true })
  detail!: string | null;

  @Column({ name: 'request_id', type: 'varchar', length: 64 })
  requestId!: string;
}
