import { Entity, ForeignKey, PrimaryColumn } from 'typeorm';
import { GuardrailMapping } from './guardrail-mapping';
import { GuardrailEntity } from './guardrail.entity';

const PRIMARY_KEY = 'guardrail_mcp_servers_pk';

/** Maps a guardrail to an MCP server whose calls it checks. */
@Entity('guardrail_mcp_servers')
export class GuardrailMcpServerEntity extends GuardrailMapping {
  @PrimaryColumn({ name: 'guardrail_id', type: 'uuid', primaryKeyConstraintName: PRIMARY_KEY })
  @ForeignKey(() => GuardrailEntity, { name: 'guardrail_mcp_servers_guardrail_fk' })
  guardrailId!: string;

  @PrimaryColumn({ name: 'mcp_server_id', type: 'uuid', primaryKeyConstraintName: PRIMARY_KEY })
  serverId!: string;
}
