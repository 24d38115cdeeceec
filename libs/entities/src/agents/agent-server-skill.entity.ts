import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { AgentServerEntity } from './agent-server.entity';
import { AgentSkillEntity } from './agent-skill.entity';

const PRIMARY_KEY = 'agent_server_skills_pk';

/** Whether an agent of a workspace offers a skill. It offers a skill that has no row. */
@Entity('agent_server_skills')
export class AgentServerSkillEntity {
  @PrimaryColumn({ name: 'server_id', type: 'uuid', primaryKeyConstraintName: PRIMARY_KEY })
  @ForeignKey(() => AgentServerEntity, { name: 'agent_server_skills_server_fk' })
  serverId!: string;

  @Index('agent_server_skills_capability_id_ix')
  @PrimaryColumn({ name: 'capability_id', type: 'uuid', primaryKeyConstraintName: PRIMARY_KEY })
  @ForeignKey(() => AgentSkillEntity, { name: 'agent_server_skills_capability_fk' })
  capabilityId!: string;

  @Column({ name: 'enabled', type: 'boolean' })
  enabled!: boolean;
}
