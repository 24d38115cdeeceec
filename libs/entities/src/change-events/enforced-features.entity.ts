import { Check, Column, Entity, PrimaryColumn } from 'typeorm';

/** One row: which features the documents that gateways hold were made for. */
@Entity('enforced_features')
@Check('enforced_features_id_ck', 'id = 1')
export class EnforcedFeaturesEntity {
  @PrimaryColumn({ name: 'id', type: 'smallint', primaryKeyConstraintName: 'enforced_features_pk' })
  id!: number;

  /** Names of the features that are off, in order, with spaces between. */
  @Column({ name: 'disabled', type: 'text' })
  disabled!: string;
}
