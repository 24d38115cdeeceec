import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { Row } from '../row';
import { McpIntegrationEntity } from './mcp-integration.entity';

/** A sign of an attack in a definition; `Finding` of `libs/mcp`. */
export interface StoredFinding {
  readonly rule: string;
  readonly severity: string;
}

/**
 * A tool, prompt, resource or resource template of an upstream MCP server. `definition` is what the
 * server says now, `approved` what callers see.
 */
@Entity('mcp_capabilities')
@Check('mcp_capabilities_type_ck', `type IN ('tool', 'prompt', 'resource', 'resource_template', 'server')`)
@Index('mcp_capabilities_name_uq', ['integrationId', 'type', 'nameDigest'], { unique: true })
export class McpCapabilityEntity extends Row {
  @PrimaryColumn({ name: 'id', type: 'uuid', primaryKeyConstraintName: 'mcp_capabilities_pk' })
  id!: string;

  @Column({ name: 'integration_id', type: 'uuid' })
  @ForeignKey(() => McpIntegrationEntity, { name: 'mcp_capabilities_integration_fk' })
  integrationId!: string;

  /** `server`: the name and the instructions of the server itself, named `@server`. */
  @Column({ name: 'type', type: 'varchar', length: 32 })
  type!: 'tool' | 'prompt' | 'resource' | 'resource_template' | 'server';

  /** The name, the URI or the URI template. */
  @Column({ name: 'name', type: 'text' })
  name!: string;

  /** SHA-256 of the name, hex: names may be longer than an index takes. */
  @Column({ name: 'name_digest', type: 'char', length: 64 })
  nameDigest!: string;

  /** Place in the server's list, from 0. */
  @Column({ name: 'position', type: 'integer' })
  position!: number;

  @Column({ name: 'definition', type: 'jsonb' })
  definition!: Record<string, unknown>;

  /** Of `definition`: `capabilityDigest` of `libs/mcp`. */
  @Column({ name: 'digest', type: 'char', length: 64 })
  digest!: string;

  /** Null: never approved. */
  @Column({ name: 'approved', type: 'jsonb', nullable: true })
  approved!: Record<string, unknown> | null;

  @Column({ name: 'state', type: 'varchar', length: 16 })
  state!: 'approved' | 'pending' | 'changed' | 'serve_approved' | 'rejected';

  @Column({ name: 'findings', type: 'jsonb', default: [] })
  findings!: StoredFinding[];

  @Column({ name: 'enabled', type: 'boolean', default: true })
  enabled!: boolean;

  /** When the server stopped listing it; null: it is listed. */
  @Column({ name: 'gone_at', type: 'timestamptz', precision: 3, nullable: true })
  goneAt!: Date | null;

  /** Who approved or rejected it last; null: no one, or the rule of the integration. */
  @Column({ name: 'decided_by', type: 'varchar', length: 255, nullable: true })
  decidedBy!: string | null;

  @Column({ name: 'decided_at', type: 'timestamptz', precision: 3, nullable: true })
  decidedAt!: Date | null;
}
