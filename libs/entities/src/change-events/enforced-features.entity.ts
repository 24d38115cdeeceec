import { Check, Column, Entity, PrimaryColumn } from 'typeorm';

/** The only row stores which features were disabled when the documents of gateways were created. */
@Entity('enforced_features')
@Check('enforced_features_id_ck', 'id = 1')
export class EnforcedFeaturesEntity {
  @PrimaryColumn({ name: 'id', type: 'smallint', primaryKeyConstraintName: 'enforced_features_pk' })
  id!: number;

  /** Sorted names of the disabled features, separated by spaces. */
  @Column({ name: 'disabled', type: 'text' })
  disabled!: string;
}
