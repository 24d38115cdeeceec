import { Entity, ForeignKey, Index, PrimaryColumn, Column } from 'typeorm';
import { LabelEntity } from './label.entity';
import { PromptVersionEntity } from './prompt-version.entity';
import { PromptEntity } from './prompt.entity';

/** Assigns a label to one version of a prompt; each label is on at most one version. */
@Entity('prompt_labels')
@Index('prompt_labels_label_id_ix', ['labelId'])
@Index('prompt_labels_version_id_ix', ['versionId'])
export class PromptLabelEntity {
  @PrimaryColumn({ name: 'prompt_id', type: 'uuid', primaryKeyConstraintName: 'prompt_labels_pk' })
  @ForeignKey(() => PromptEntity, { name: 'prompt_labels_prompt_fk' })
  promptId!: string;

  @PrimaryColumn({ name: 'label_id', type: 'uuid', primaryKeyConstraintName: 'prompt_labels_pk' })
  @ForeignKey(() => LabelEntity, { name: 'prompt_labels_label_fk' })
  labelId!: string;

  @Column({ name: 'version_id', type: 'uuid' })
  @ForeignKey(() => PromptVersionEntity, { name: 'prompt_labels_version_fk' })
  versionId!: string;
}
