import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { McpIntegrationEntity, type McpHealthState } from './mcp-integration.entity';

/** The result of one check of an upstream MCP server; kept for a day. */
@Entity('mcp_health')
export class McpHealthEntity {
  @PrimaryColumn({ name: 'integration_id', type: 'uuid', primaryKeyConstraintName: 'mcp_health_pk' })
  @ForeignKey(() => McpIntegrationEntity, { name: 'mcp_health_integration_fk' })
  integrationId!: string;

  /** The minute of the check; a later check of the minute takes its place. */
  @Index('mcp_health_minute_ix')
  @PrimaryColumn({
    name: 'minute',
    type: 'timestamptz',
    precision: 3,
    primaryKeyConstraintName: 'mcp_health_pk',
  })
  minute!: Date;

  @Column({ name: 'state', type: 'varchar', length: 16 })
  state!: McpHealthState;

  /** How long the server took to respond; null: it did not. */
  @Column({ name: 'ms', type: 'integer', nullable: true })
  ms!: number | null;
}
