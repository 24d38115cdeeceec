import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { Row } from '../row';
import { OrganisationEntity } from './organisation.entity';

/** A mail domain of an organisation. Only one organisation can have it verified. */
@Entity('organisation_domains')
@Index('organisation_domains_own_uq', ['organisationId', 'domain'], { unique: true })
export class OrganisationDomainEntity extends Row {
  @PrimaryColumn({ name: 'id', type: 'uuid', primaryKeyConstraintName: 'organisation_domains_pk' })
  id!: string;

  @Column({ name: 'organisation_id', type: 'uuid' })
  @ForeignKey(() => OrganisationEntity, { name: 'organisation_domains_organisation_fk' })
  organisationId!: string;

  /** Domain in lower-case ASCII form. */
  @Column({ name: 'domain', type: 'varchar', length: 253 })
  @Index('organisation_domains_verified_uq', { unique: true, where: 'verified_at IS NOT NULL' })
  domain!: string;

  /** Whether addresses of its subdomains belong to it too. */
  @Column({ name: 'allow_subdomains', type: 'boolean', default: false })
  allowSubdomains!: boolean;

  /** Token whose publication proves control of the domain. */
  @Column({ name: 'token', type: 'varchar', length: 64 })
  token!: string;

  @Column({ name: 'verified_at', type: 'timestamptz', precision: 3, nullable: true })
  verifiedAt!: Date | null;

  @Column({ name: 'checked_at', type: 'timestamptz', precision: 3, nullable: true })
  checkedAt!: Date | null;

  /** Number of failed checks since the last successful one. */
  @Column({ name: 'failures', type: 'integer', default: 0 })
  failures!: number;
}
