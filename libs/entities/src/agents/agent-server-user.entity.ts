import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { UserEntity } from '../identity/user.entity';
import { AgentServerEntity } from './agent-server.entity';

const PRIMARY_KEY = 'agent_server_users_pk';

/** Whether a user may use an agent, if that differs from the agent's default. */
@Entity('agent_server_users')
export class AgentServerUserEntity {
  @PrimaryColumn({ name: 'server_id', type: 'uuid', primaryKeyConstraintName: PRIMARY_KEY })
  @ForeignKey(() => AgentServerEntity, { name: 'agent_server_users_server_fk' })
  serverId!: string;

  @Index('agent_server_users_user_id_ix')
  @PrimaryColumn({ name: 'user_id', type: 'uuid', primaryKeyConstraintName: PRIMARY_KEY })
  @ForeignKey(() => UserEntity, { name: 'agent_server_users_user_fk' })
  userId!: string;

  @Column({ name: 'enabled', type: 'boolean' })
  enabled!: boolean;
}
