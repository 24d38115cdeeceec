import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { UpstreamCapability } from '../upstreams/upstream-capability';
import { McpIntegrationEntity } from './mcp-integration.entity';

/** A tool, prompt, resource or resource template of an upstream MCP server. */
@Entity('mcp_capabilities')
@Check('mcp_capabilities_type_ck', `type IN ('tool', 'prompt', 'resource', 'resource_template', 'server')`)
@Index('mcp_capabilities_name_uq', ['integrationId', 'type', 'nameDigest'], { unique: true })
export class McpCapabilityEntity extends UpstreamCapability {
  @PrimaryColumn({ name: 'id', type: 'uuid', primaryKeyConstraintName: 'mcp_capabilities_pk' })
  id!: string;

  @Column({ name: 'integration_id', type: 'uuid' })
  @ForeignKey(() => McpIntegrationEntity, { name: 'mcp_capabilities_integration_fk' })
  integrationId!: string;

  /**
   * `server` stands for the name and the instructions of the server itself; its name is `@server`.
   */
  @Column({ name: 'type', type: 'varchar', length: 32 })
  type!: 'tool' | 'prompt' | 'resource' | 'resource_template' | 'server';
}
