import { Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { UpstreamCheck } from '../upstreams/upstream-check';
import { McpIntegrationEntity } from './mcp-integration.entity';

/** The result of one check of an upstream MCP server. */
@Entity('mcp_health')
export class McpHealthEntity extends UpstreamCheck {
  @PrimaryColumn({ name: 'integration_id', type: 'uuid', primaryKeyConstraintName: 'mcp_health_pk' })
  @ForeignKey(() => McpIntegrationEntity, { name: 'mcp_health_integration_fk' })
  integrationId!: string;

  @Index('mcp_health_minute_ix')
  @PrimaryColumn({
    name: 'minute',
    type: 'timestamptz',
    precision: 3,
    primaryKeyConstraintName: 'mcp_health_pk',
  })
  minute!: Date;
}
