import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { UpstreamCapability } from '../upstreams/upstream-capability';
import { AgentIntegrationEntity } from './agent-integration.entity';

/** A skill of an agent, as its card describes it. */
@Entity('agent_skills')
@Check('agent_skills_type_ck', `type IN ('skill', 'agent', 'extended')`)
@Index('agent_skills_name_uq', ['integrationId', 'type', 'nameDigest'], { unique: true })
export class AgentSkillEntity extends UpstreamCapability {
  @PrimaryColumn({ name: 'id', type: 'uuid', primaryKeyConstraintName: 'agent_skills_pk' })
  id!: string;

  @Column({ name: 'integration_id', type: 'uuid' })
  @ForeignKey(() => AgentIntegrationEntity, { name: 'agent_skills_integration_fk' })
  integrationId!: string;

  /**
   * `agent`: the card without its skills, named `@agent`. `extended`: the extended card without its
   * skills, named `@extended`.
   */
  @Column({ name: 'type', type: 'varchar', length: 32 })
  type!: 'skill' | 'agent' | 'extended';

  /** Whether the agent's public card lists the skill. */
  @Column({ name: 'is_public', type: 'boolean', default: true })
  isPublic!: boolean;

  /**
   * Whether the agent's extended card lists the skill, which only authenticated callers of the
   * agent see.
   */
  @Column({ name: 'is_extended', type: 'boolean', default: false })
  isExtended!: boolean;
}
