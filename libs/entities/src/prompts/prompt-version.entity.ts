import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { PlainRow } from '../row';
import { PromptEntity } from './prompt.entity';

/** A saved version of a prompt or partial; never changed. A partial has only the text. */
@Entity('prompt_versions')
@Index('prompt_versions_number_uq', ['promptId', 'number'], { unique: true })
export class PromptVersionEntity extends PlainRow {
  @PrimaryColumn({ name: 'id', type: 'uuid', primaryKeyConstraintName: 'prompt_versions_pk' })
  id!: string;

  @Column({ name: 'prompt_id', type: 'uuid' })
  @ForeignKey(() => PromptEntity, { name: 'prompt_versions_prompt_fk' })
  promptId!: string;

  /** Number of the version; the first is 1. */
  @Column({ name: 'number', type: 'integer' })
  number!: number;

  @Column({ name: 'template', type: 'text' })
  template!: string;

  @Column({ name: 'is_raw', type: 'boolean', default: false })
  isRaw!: boolean;

  @Column({ name: 'description', type: 'text', nullable: true })
  description!: string | null;

  /** The type is `json` instead of `jsonb`, so that members keep their order. */
  @Column({ name: 'parameters', type: 'json', default: () => `'{}'` })
  parameters!: Record<string, unknown>;

  @Column({ name: 'model', type: 'varchar', length: 255, nullable: true })
  model!: string | null;

  /** Slug of a provider, in the workspace that uses the prompt. */
  @Column({ name: 'virtual_key', type: 'varchar', length: 255, nullable: true })
  virtualKey!: string | null;

  @Column({ name: 'functions', type: 'json', nullable: true })
  functions!: object[] | null;

  @Column({ name: 'tools', type: 'json', nullable: true })
  tools!: object[] | null;

  /**
   * A name or an object, wrapped in a list, because the driver would send a plain string as text
   * instead of JSON.
   */
  @Column({ name: 'tool_choice', type: 'json', nullable: true })
  toolChoice!: [unknown] | null;

  @Column({ name: 'metadata', type: 'json', nullable: true })
  metadata!: Record<string, unknown> | null;

  /** Ids of the partials that the text includes, in any version. */
  @Column({ name: 'partial_ids', type: 'uuid', array: true, default: () => `'{}'` })
  partialIds!: string[];

  @Column({ name: 'created_by', type: 'uuid', nullable: true })
  createdBy!: string | null;
}
