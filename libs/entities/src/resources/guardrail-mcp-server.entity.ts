import { Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';
import { GuardrailEntity } from './guardrail.entity';

const PRIMARY_KEY = 'guardrail_mcp_servers_pk';

/** A server of tools that a guardrail judges. */
@Entity('guardrail_mcp_servers')
export class GuardrailMcpServerEntity {
  @PrimaryColumn({ name: 'guardrail_id', type: 'uuid', primaryKeyConstraintName: PRIMARY_KEY })
  @ForeignKey(() => GuardrailEntity, { name: 'guardrail_mcp_servers_guardrail_fk' })
  guardrailId!: string;

  @PrimaryColumn({ name: 'mcp_server_id', type: 'uuid', primaryKeyConstraintName: PRIMARY_KEY })
  mcpServerId!: string;

  /** Of the mapping itself. */
  @Column({ name: 'id', type: 'uuid' })
  id!: string;

  /** Before a tool is called, on its arguments; after it, on its result. */
  @Column({ name: 'run_on', type: 'text', array: true })
  runOn!: ('beforeToolCall' | 'afterToolCall')[];

  /** Empty: all tools of the server. */
  @Column({ name: 'capability_ids', type: 'uuid', array: true })
  capabilityIds!: string[];

  @Column({ name: 'created_at', type: 'timestamptz', precision: 3, default: () => 'now()' })
  createdAt!: Date;
}
