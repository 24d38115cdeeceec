import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { PlainRow } from '../row';
import { AgentIntegrationEntity } from './agent-integration.entity';

/** Differences between a card and the previous one. Long lists are truncated. */
export interface StoredCardDifference {
  readonly addedSkills: readonly string[];
  readonly removedSkills: readonly string[];
  readonly changedSkills: readonly string[];
  /** Names of other members of the card. */
  readonly members: readonly string[];
}

/** A version of an agent integration's card; never changed. */
@Entity('agent_cards')
@Index('agent_cards_number_uq', ['integrationId', 'number'], { unique: true })
export class AgentCardEntity extends PlainRow {
  @PrimaryColumn({ name: 'id', type: 'uuid', primaryKeyConstraintName: 'agent_cards_pk' })
  id!: string;

  @Column({ name: 'integration_id', type: 'uuid' })
  @ForeignKey(() => AgentIntegrationEntity, { name: 'agent_cards_integration_fk' })
  integrationId!: string;

  /** Number of the version; the first is 1. */
  @Column({ name: 'number', type: 'integer' })
  number!: number;

  /** The received JSON text, up to 1 MiB. Only queries that name the column read it. */
  @Column({ name: 'card', type: 'text', select: false })
  card?: string;

  /** Size of `card` in bytes. */
  @Column({ name: 'bytes', type: 'integer' })
  bytes!: number;

  /** SHA-256 of the canonical JSON of the card, hex. */
  @Column({ name: 'digest', type: 'char', length: 64 })
  digest!: string;

  @Column({ name: 'source', type: 'varchar', length: 16 })
  source!: AgentIntegrationEntity['source'];

  @Column({ name: 'signature_state', type: 'varchar', length: 16, nullable: true })
  signatureState!: AgentIntegrationEntity['signatureState'];

  /** Difference from the previous card; null for the first card. */
  @Column({ name: 'difference', type: 'jsonb', nullable: true })
  difference!: StoredCardDifference | null;

  /** Id of the user or key that requested the card; null if the sync job read it. */
  @Column({ name: 'created_by', type: 'uuid', nullable: true })
  createdBy!: string | null;
}
