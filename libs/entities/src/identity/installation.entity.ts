import { Check, Column, Entity, PrimaryColumn } from 'typeorm';

/**
 * The only row of this table states that the database has been set up, by which organisation and
 * under which master key.
 */
@Entity('installation')
@Check('installation_one_row_ck', 'id = 1')
export class InstallationEntity {
  /** Always 1, so that the table has at most one row. */
  @PrimaryColumn({ name: 'id', type: 'smallint', primaryKeyConstraintName: 'installation_pk' })
  id!: number;

  /**
   * The organisation of the first start. It has no foreign key: the row outlives the organisation,
   * so that nothing is seeded twice.
   */
  @Column({ name: 'organisation_id', type: 'uuid' })
  organisationId!: string;

  @Column({ name: 'set_up_at', type: 'timestamptz', default: () => 'now()' })
  setUpAt!: Date;

  /** A known text, encrypted. A process whose ENCRYPTION_KEY does not decrypt it must not start. */
  @Column({ name: 'key_check', type: 'text' })
  keyCheck!: string;
}

/** Binding of the encrypted check value. */
export const INSTALLATION_BINDING = 'installation';
