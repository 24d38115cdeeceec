import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { McpCapabilityEntity } from './mcp-capability.entity';
import { McpServerEntity } from './mcp-server.entity';

const PRIMARY_KEY = 'mcp_server_capabilities_pk';

/**
 * Whether an MCP server of a workspace offers a capability. It offers a capability that has no row.
 */
@Entity('mcp_server_capabilities')
export class McpServerCapabilityEntity {
  @PrimaryColumn({ name: 'server_id', type: 'uuid', primaryKeyConstraintName: PRIMARY_KEY })
  @ForeignKey(() => McpServerEntity, { name: 'mcp_server_capabilities_server_fk' })
  serverId!: string;

  @Index('mcp_server_capabilities_capability_id_ix')
  @PrimaryColumn({ name: 'capability_id', type: 'uuid', primaryKeyConstraintName: PRIMARY_KEY })
  @ForeignKey(() => McpCapabilityEntity, { name: 'mcp_server_capabilities_capability_fk' })
  capabilityId!: string;

  @Column({ name: 'enabled', type: 'boolean' })
  enabled!: boolean;
}
