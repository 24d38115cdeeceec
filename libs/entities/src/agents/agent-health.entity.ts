import { Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { UpstreamCheck } from '../upstreams/upstream-check';
import { AgentIntegrationEntity } from './agent-integration.entity';

/** The result of one check of an agent. */
@Entity('agent_health')
export class AgentHealthEntity extends UpstreamCheck {
  @PrimaryColumn({ name: 'integration_id', type: 'uuid', primaryKeyConstraintName: 'agent_health_pk' })
  @ForeignKey(() => AgentIntegrationEntity, { name: 'agent_health_integration_fk' })
  integrationId!: string;

  @Index('agent_health_minute_ix')
  @PrimaryColumn({
    name: 'minute',
    type: 'timestamptz',
    precision: 3,
    primaryKeyConstraintName: 'agent_health_pk',
  })
  minute!: Date;
}
