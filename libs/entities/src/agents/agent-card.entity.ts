import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { PlainRow } from '../row';
import { AgentIntegrationEntity } from './agent-integration.entity';

/** Differences between a card and the one before it. Long lists are cut. */
export interface StoredCardDifference {
  readonly addedSkills: readonly string[];
  readonly removedSkills: readonly string[];
  readonly changedSkills: readonly string[];
  /** Names of other members of the card. */
  readonly members: readonly string[];
}

/** A card that an agent integration had; never changed. */
@Entity('agent_cards')
@Index('agent_cards_number_uq', ['integrationId', 'number'], { unique: true })
export class AgentCardEntity extends PlainRow {
  @PrimaryColumn({ name: 'id', type: 'uuid', primaryKeyConstraintName: 'agent_cards_pk' })
  id!: string;

  @Column({ name: 'integration_id', type: 'uuid' })
  @ForeignKey(() => AgentIntegrationEntity, { name: 'agent_cards_integration_fk' })
  integrationId!: string;

  /** 1 is the first. */
  @Column({ name: 'number', type: 'integer' })
  number!: number;

  /** As it was received, as JSON, up to 1 MiB, which only a query that names it reads. */
  @Column({ name: 'card', type: 'text', select: false })
  card?: string;

  /** Bytes of `card`. */
  @Column({ name: 'bytes', type: 'integer' })
  bytes!: number;

  /** SHA-256 of the canonical JSON of the card, hex. */
  @Column({ name: 'digest', type: 'char', length: 64 })
  digest!: string;

  @Column({ name: 'source', type: 'varchar', length: 16 })
  source!: AgentIntegrationEntity['source'];

  @Column({ name: 'signature_state', type: 'varchar', length: 16, nullable: true })
  signatureState!: AgentIntegrationEntity['signatureState'];

  /** Null: it is the first card. */
  @Column({ name: 'difference', type: 'jsonb', nullable: true })
  difference!: StoredCardDifference | null;

  /** Id of the user or key that had it read; null: the job did. */
  @Column({ name: 'created_by', type: 'uuid', nullable: true })
  createdBy!: string | null;
}
