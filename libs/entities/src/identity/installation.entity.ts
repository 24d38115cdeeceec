import { Check, Column, Entity, PrimaryColumn } from 'typeorm';

/**
 * The one row that says that this database has been set up, by which organisation and under which
 * master key.
 */
@Entity('installation')
@Check('installation_one_row_ck', 'id = 1')
export class InstallationEntity {
  /** Always 1: the table has one row at most. */
  @PrimaryColumn({ name: 'id', type: 'smallint', primaryKeyConstraintName: 'installation_pk' })
  id!: number;

  /**
   * The organisation of the first start. No foreign key: the row outlives it, so that nothing is
   * seeded twice.
   */
  @Column({ name: 'organisation_id', type: 'uuid' })
  organisationId!: string;

  @Column({ name: 'set_up_at', type: 'timestamptz', default: () => 'now()' })
  setUpAt!: Date;

  /** A known text, sealed: a process whose ENCRYPTION_KEY does not open it must not start. */
  @Column({ name: 'key_check', type: 'text' })
  keyCheck!: string;
}

/** Binding that the check value is sealed with. */
export const INSTALLATION_BINDING = 'installation';
