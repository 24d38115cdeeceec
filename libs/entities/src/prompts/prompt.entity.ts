import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { OrganisationEntity } from '../identity/organisation.entity';
import { WorkspaceEntity } from '../identity/workspace.entity';
import { Row } from '../row';
import { CollectionEntity } from './collection.entity';

/** A prompt, or a partial: a text that prompts include. The texts are in `prompt_versions`. */
@Entity('prompts')
@Check('prompts_type_ck', `type IN ('prompt', 'partial')`)
@Check('prompts_status_ck', `status IN ('active', 'archived')`)
@Check('prompts_access_level_ck', `access_level IN ('workspace', 'workspaces', 'organisation')`)
@Index('prompts_slug_uq', ['organisationId', 'slug'], { unique: true })
@Index('prompts_page_ix', ['workspaceId', 'type', 'createdAt', 'id'])
@Index('prompts_collection_id_ix', ['collectionId'])
@Index('prompts_shared_ix', ['organisationId'], { where: `access_level <> 'workspace'` })
export class PromptEntity extends Row {
  @PrimaryColumn({ name: 'id', type: 'uuid', primaryKeyConstraintName: 'prompts_pk' })
  id!: string;

  @Column({ name: 'type', type: 'varchar', length: 16 })
  type!: 'prompt' | 'partial';

  @Column({ name: 'organisation_id', type: 'uuid' })
  @ForeignKey(() => OrganisationEntity, { name: 'prompts_organisation_fk' })
  organisationId!: string;

  /** The workspace that owns it. */
  @Column({ name: 'workspace_id', type: 'uuid' })
  @ForeignKey(() => WorkspaceEntity, { name: 'prompts_workspace_fk' })
  workspaceId!: string;

  @Column({ name: 'collection_id', type: 'uuid' })
  @ForeignKey(() => CollectionEntity, { name: 'prompts_collection_fk' })
  collectionId!: string;

  /** Generated slug, `pp-<name>-<hex>`; never reused. */
  @Column({ name: 'slug', type: 'varchar', length: 64 })
  slug!: string;

  @Column({ name: 'name', type: 'varchar', length: 255 })
  name!: string;

  @Column({ name: 'status', type: 'varchar', length: 16, default: 'active' })
  status!: 'active' | 'archived';

  /** Version that requests use when they name none. */
  @Column({ name: 'published_version_id', type: 'uuid' })
  publishedVersionId!: string;

  @Column({ name: 'latest_version_id', type: 'uuid' })
  latestVersionId!: string;

  /**
   * `workspace`: not shared. `workspaces`: shared with those in `prompt_shares`. `organisation`:
   * shared with all workspaces.
   */
  @Column({ name: 'access_level', type: 'varchar', length: 16, default: 'workspace' })
  accessLevel!: 'workspace' | 'workspaces' | 'organisation';

  @Column({ name: 'shared_at', type: 'timestamptz', precision: 3, nullable: true })
  sharedAt!: Date | null;

  /** Id of the user or API key that shared it. */
  @Column({ name: 'shared_by', type: 'uuid', nullable: true })
  sharedBy!: string | null;

  @Column({ name: 'forked_from_prompt_id', type: 'uuid', nullable: true })
  forkedFromPromptId!: string | null;

  @Column({ name: 'forked_from_version_id', type: 'uuid', nullable: true })
  forkedFromVersionId!: string | null;

  /** Id of the user or API key that last changed it. */
  @Column({ name: 'updated_by', type: 'uuid', nullable: true })
  updatedBy!: string | null;
}
