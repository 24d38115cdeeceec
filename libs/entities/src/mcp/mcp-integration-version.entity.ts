import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { PlainRow } from '../row';
import { McpIntegrationEntity } from './mcp-integration.entity';

/** A saved version of an MCP integration; never changed. */
@Entity('mcp_integration_versions')
@Index('mcp_integration_versions_number_uq', ['integrationId', 'number'], { unique: true })
export class McpIntegrationVersionEntity extends PlainRow {
  @PrimaryColumn({ name: 'id', type: 'uuid', primaryKeyConstraintName: 'mcp_integration_versions_pk' })
  id!: string;

  @Column({ name: 'integration_id', type: 'uuid' })
  @ForeignKey(() => McpIntegrationEntity, { name: 'mcp_integration_versions_integration_fk' })
  integrationId!: string;

  /** Number of the version; the first is 1. */
  @Column({ name: 'number', type: 'integer' })
  number!: number;

  /** The body of a PUT of the integration, with masked secrets. */
  @Column({ name: 'content', type: 'jsonb' })
  content!: Record<string, unknown>;

  @Column({ name: 'created_by', type: 'uuid', nullable: true })
  createdBy!: string | null;
}
