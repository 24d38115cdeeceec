import { Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { GuardrailMapping } from '../resources/guardrail-mapping';
import { GuardrailEntity } from '../resources/guardrail.entity';
import { AgentServerEntity } from './agent-server.entity';

const PRIMARY_KEY = 'guardrail_agent_servers_pk';

/** Maps a guardrail to an agent of a workspace whose messages it checks. */
@Entity('guardrail_agent_servers')
export class GuardrailAgentServerEntity extends GuardrailMapping {
  @PrimaryColumn({ name: 'guardrail_id', type: 'uuid', primaryKeyConstraintName: PRIMARY_KEY })
  @ForeignKey(() => GuardrailEntity, { name: 'guardrail_agent_servers_guardrail_fk' })
  guardrailId!: string;

  @Index('guardrail_agent_servers_agent_server_id_ix')
  @PrimaryColumn({ name: 'agent_server_id', type: 'uuid', primaryKeyConstraintName: PRIMARY_KEY })
  @ForeignKey(() => AgentServerEntity, { name: 'guardrail_agent_servers_server_fk' })
  serverId!: string;
}
