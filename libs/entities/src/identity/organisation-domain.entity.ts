import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { Row } from '../row';
import { OrganisationEntity } from './organisation.entity';

/** A mail domain of an organisation. Only one organisation can have it verified. */
@Entity('organisation_domains')
export class OrganisationDomainEntity extends Row {
  @PrimaryColumn({
    name: 'organisation_id',
    type: 'uuid',
    primaryKeyConstraintName: 'organisation_domains_pk',
  })
  @ForeignKey(() => OrganisationEntity, { name: 'organisation_domains_organisation_fk' })
  organisationId!: string;

  /** In lower case, in its ASCII form. */
  @PrimaryColumn({
    name: 'domain',
    type: 'varchar',
    length: 253,
    primaryKeyConstraintName: 'organisation_domains_pk',
  })
  @Index('organisation_domains_verified_uq', { unique: true, where: 'verified_at IS NOT NULL' })
  domain!: string;

  /** True: addresses of its subdomains count as well. */
  @Column({ name: 'allow_subdomains', type: 'boolean', default: false })
  allowSubdomains!: boolean;

  /** `dns`: a TXT record; `file`: a file below `/.well-known`. */
  @Column({ name: 'method', type: 'varchar', length: 8, default: 'dns' })
  method!: 'dns' | 'file';

  /** The text that proves control of the domain. */
  @Column({ name: 'token', type: 'varchar', length: 64 })
  token!: string;

  @Column({ name: 'verified_at', type: 'timestamptz', precision: 3, nullable: true })
  verifiedAt!: Date | null;

  @Column({ name: 'checked_at', type: 'timestamptz', precision: 3, nullable: true })
  checkedAt!: Date | null;

  /** Checks that failed since the last one that succeeded. */
  @Column({ name: 'failures', type: 'integer', default: 0 })
  failures!: number;
}
