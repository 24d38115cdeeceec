import type { SavedGuardrailCheck } from '@gw/contracts';
import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { PlainRow } from '../row';
import { GuardrailEntity } from './guardrail.entity';

/** A saved version of a guardrail; never changed. */
@Entity('guardrail_versions')
@Index('guardrail_versions_number_uq', ['guardrailId', 'number'], { unique: true })
export class GuardrailVersionEntity extends PlainRow {
  @PrimaryColumn({ name: 'id', type: 'uuid', primaryKeyConstraintName: 'guardrail_versions_pk' })
  id!: string;

  @Column({ name: 'guardrail_id', type: 'uuid' })
  @ForeignKey(() => GuardrailEntity, { name: 'guardrail_versions_guardrail_fk' })
  guardrailId!: string;

  /** Number of the version; the first is 1. */
  @Column({ name: 'number', type: 'integer' })
  number!: number;

  /**
   * Checks without secret parameters. The type is `json` instead of `jsonb`, so that members keep
   * their order.
   */
  @Column({ name: 'checks', type: 'json' })
  checks!: readonly SavedGuardrailCheck[];

  @Column({ name: 'actions', type: 'json' })
  actions!: Readonly<Record<string, unknown>>;

  /** `GuardrailSecrets` of the contracts, sealed to `guardrailBinding`. */
  @Column({ name: 'sealed_secrets', type: 'text', nullable: true })
  sealedSecrets!: string | null;

  @Column({ name: 'created_by', type: 'uuid', nullable: true })
  createdBy!: string | null;
}
