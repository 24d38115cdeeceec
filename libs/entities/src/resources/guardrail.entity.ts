import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { OrganisationEntity } from '../identity/organisation.entity';
import { WorkspaceEntity } from '../identity/workspace.entity';
import { Row } from '../row';

/**
 * A saved guardrail. Its checks are in `guardrail_versions`; `currentVersionId` names the active
 * version.
 */
@Entity('guardrails')
@Check('guardrails_status_ck', `status IN ('active', 'archived')`)
@Check('guardrails_target_ck', `target IN ('llm', 'mcp_tools')`)
@Index('guardrails_slug_uq', ['organisationId', 'slug'], { unique: true })
@Index('guardrails_page_ix', ['organisationId', 'workspaceId', 'createdAt', 'id'])
export class GuardrailEntity extends Row {
  @PrimaryColumn({ name: 'id', type: 'uuid', primaryKeyConstraintName: 'guardrails_pk' })
  id!: string;

  @Column({ name: 'organisation_id', type: 'uuid' })
  @ForeignKey(() => OrganisationEntity, { name: 'guardrails_organisation_fk' })
  organisationId!: string;

  /** Null for a guardrail of the organisation, which all its workspaces can use. */
  @Column({ name: 'workspace_id', type: 'uuid', nullable: true })
  @ForeignKey(() => WorkspaceEntity, { name: 'guardrails_workspace_fk' })
  workspaceId!: string | null;

  /** Slug of the caller, or the generated `pg-<hex>`; never reused. */
  @Column({ name: 'slug', type: 'varchar', length: 255 })
  slug!: string;

  @Column({ name: 'name', type: 'varchar', length: 255 })
  name!: string;

  /**
   * Target of the guardrail: requests to models, or calls of tools of MCP servers. Never changes.
   */
  @Column({ name: 'target', type: 'varchar', length: 16 })
  target!: 'llm' | 'mcp_tools';

  @Column({ name: 'status', type: 'varchar', length: 16, default: 'active' })
  status!: 'active' | 'archived';

  @Column({ name: 'current_version_id', type: 'uuid' })
  currentVersionId!: string;

  /** Id of the user or API key that created it. */
  @Column({ name: 'owner_id', type: 'uuid', nullable: true })
  ownerId!: string | null;

  @Column({ name: 'updated_by', type: 'uuid', nullable: true })
  updatedBy!: string | null;
}
