import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { OrganisationEntity } from '../identity/organisation.entity';
import { WorkspaceEntity } from '../identity/workspace.entity';
import { Row } from '../row';

/** How a toolset changes the presentation of a tool, in the form of the API. */
export interface StoredToolOverride {
  readonly title?: string;
  readonly description?: string;
  readonly hidden_arguments?: readonly string[];
  readonly fixed_arguments?: Readonly<Record<string, unknown>>;
}

/** A server of a toolset. Names are the server's own names. */
export interface StoredToolsetMember {
  /** Id of a server of the workspace. */
  readonly server_id: string;
  /** Prefix of the shown names; null for the slug of the server. */
  readonly prefix: string | null;
  readonly include: readonly string[];
  readonly exclude: readonly string[];
  /** Shown names of tools and prompts, by the server's names. */
  readonly aliases: Readonly<Record<string, string>>;
  /** Overrides by the name of the tool. */
  readonly overrides: Readonly<Record<string, StoredToolOverride>>;
}

/** MCP servers of a workspace under one URL. A toolset grants no access by itself. */
@Entity('mcp_toolsets')
@Check('mcp_toolsets_status_ck', `status IN ('active', 'archived')`)
@Check('mcp_toolsets_mode_ck', `mode IN ('list', 'search')`)
@Check('mcp_toolsets_failure_ck', `failure IN ('partial', 'strict')`)
@Index('mcp_toolsets_slug_uq', ['workspaceId', 'slug'], { unique: true, where: `status <> 'archived'` })
@Index('mcp_toolsets_page_ix', ['workspaceId', 'createdAt', 'id'])
export class McpToolsetEntity extends Row {
  @PrimaryColumn({ name: 'id', type: 'uuid', primaryKeyConstraintName: 'mcp_toolsets_pk' })
  id!: string;

  @Index('mcp_toolsets_organisation_id_ix')
  @Column({ name: 'organisation_id', type: 'uuid' })
  @ForeignKey(() => OrganisationEntity, { name: 'mcp_toolsets_organisation_fk' })
  organisationId!: string;

  @Column({ name: 'workspace_id', type: 'uuid' })
  @ForeignKey(() => WorkspaceEntity, { name: 'mcp_toolsets_workspace_fk' })
  workspaceId!: string;

  /** Slug that no MCP server of the workspace has either. */
  @Column({ name: 'slug', type: 'varchar', length: 50 })
  slug!: string;

  @Column({ name: 'name', type: 'varchar', length: 255 })
  name!: string;

  @Column({ name: 'description', type: 'varchar', length: 500, nullable: true })
  description!: string | null;

  /** Text that clients may pass to their models. */
  @Column({ name: 'instructions', type: 'text', nullable: true })
  instructions!: string | null;

  @Column({ name: 'status', type: 'varchar', length: 16, default: 'active' })
  status!: 'active' | 'archived';

  @Column({ name: 'owner_id', type: 'varchar', length: 255, nullable: true })
  ownerId!: string | null;

  /** `search`: clients list two tools, with which they search and call the others. */
  @Column({ name: 'mode', type: 'varchar', length: 16, default: 'list' })
  mode!: 'list' | 'search';

  /** `partial`: lists omit the capabilities of a failed member. `strict`: lists fail. */
  @Column({ name: 'failure', type: 'varchar', length: 16, default: 'partial' })
  failure!: 'partial' | 'strict';

  /** At most 50 servers, in the order in which clients see them. */
  @Column({ name: 'members', type: 'jsonb', default: [] })
  members!: StoredToolsetMember[];
}
