import { Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { WorkspaceEntity } from '../identity/workspace.entity';
import { PromptEntity } from './prompt.entity';

/** A workspace that may read and use a prompt of another one. */
@Entity('prompt_shares')
@Index('prompt_shares_workspace_id_ix', ['workspaceId'])
export class PromptShareEntity {
  @PrimaryColumn({ name: 'prompt_id', type: 'uuid', primaryKeyConstraintName: 'prompt_shares_pk' })
  @ForeignKey(() => PromptEntity, { name: 'prompt_shares_prompt_fk' })
  promptId!: string;

  @PrimaryColumn({ name: 'workspace_id', type: 'uuid', primaryKeyConstraintName: 'prompt_shares_pk' })
  @ForeignKey(() => WorkspaceEntity, { name: 'prompt_shares_workspace_fk' })
  workspaceId!: string;
}
