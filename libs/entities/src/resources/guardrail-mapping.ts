import { Column } from 'typeorm';

/** That a guardrail judges calls of an MCP server or an agent. */
export abstract class GuardrailMapping {
  abstract guardrailId: string;
  abstract serverId: string;

  /** Id of the mapping itself. */
  @Column({ name: 'id', type: 'uuid' })
  id!: string;

  /** Before a tool or an agent is called, on what it gets; after it, on its result. */
  @Column({ name: 'run_on', type: 'text', array: true })
  runOn!: ('beforeToolCall' | 'afterToolCall')[];

  /** Tools or skills. Empty: all of the server. */
  @Column({ name: 'capability_ids', type: 'uuid', array: true })
  capabilityIds!: string[];

  @Column({ name: 'created_at', type: 'timestamptz', precision: 3, default: () => 'now()' })
  createdAt!: Date;
}
