import { Column } from 'typeorm';
import { Row } from '../row';

/**
 * Columns that MCP servers and agents of a workspace share: how members call an integration, and
 * which members may do so.
 */
export abstract class UpstreamServer extends Row {
  abstract id: string;
  abstract organisationId: string;
  abstract workspaceId: string;
  abstract integrationId: string;

  @Column({ name: 'slug', type: 'varchar', length: 50 })
  slug!: string;

  @Column({ name: 'name', type: 'varchar', length: 255 })
  name!: string;

  @Column({ name: 'description', type: 'varchar', length: 500, nullable: true })
  description!: string | null;

  @Column({ name: 'status', type: 'varchar', length: 16, default: 'active' })
  status!: 'active' | 'archived';

  @Column({ name: 'owner_id', type: 'varchar', length: 255, nullable: true })
  ownerId!: string | null;

  /** Access of users without an exception. */
  @Column({ name: 'default_user_access', type: 'varchar', length: 8, default: 'allow' })
  defaultUserAccess!: 'allow' | 'deny';

  /** `McpAccessRule`s or `AgentAccessRule`s of `libs/contracts`, at most 500. */
  @Column({ name: 'access_rules', type: 'jsonb', default: [] })
  accessRules!: Record<string, unknown>[];

  /** Effect for tools or skills that no rule matches. */
  @Column({ name: 'default_effect', type: 'varchar', length: 8, default: 'allow' })
  defaultEffect!: 'allow' | 'deny';
}
