import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { PlainRow } from '../row';
import { PromptEntity } from './prompt.entity';

/** One saved text of a prompt or partial; never changed. A partial has the text alone. */
@Entity('prompt_versions')
@Index('prompt_versions_number_uq', ['promptId', 'number'], { unique: true })
export class PromptVersionEntity extends PlainRow {
  @PrimaryColumn({ name: 'id', type: 'uuid', primaryKeyConstraintName: 'prompt_versions_pk' })
  id!: string;

  @Column({ name: 'prompt_id', type: 'uuid' })
  @ForeignKey(() => PromptEntity, { name: 'prompt_versions_prompt_fk' })
  promptId!: string;

  /** 1 is the first. */
  @Column({ name: 'number', type: 'integer' })
  number!: number;

  @Column({ name: 'template', type: 'text' })
  template!: string;

  @Column({ name: 'is_raw', type: 'boolean', default: false })
  isRaw!: boolean;

  @Column({ name: 'description', type: 'text', nullable: true })
  description!: string | null;

  /** `json`, not `jsonb`: the members keep the order in which they were written. */
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
   * A name or an object, in a list of its own: a bare text is no column value that a driver tells
   * from JSON.
   */
  @Column({ name: 'tool_choice', type: 'json', nullable: true })
  toolChoice!: [unknown] | null;

  @Column({ name: 'metadata', type: 'json', nullable: true })
  metadata!: Record<string, unknown> | null;

  /** Ids of the partials that the text names, whichever version of them. */
  @Column({ name: 'partial_ids', type: 'uuid', array: true, default: () => `'{}'` })
  partialIds!: string[];

  @Column({ name: 'created_by', type: 'uuid', nullable: true })
  createdBy!: string | null;
}
