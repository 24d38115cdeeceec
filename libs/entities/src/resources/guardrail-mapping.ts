import { Column } from 'typeorm';

/** Maps a guardrail to an MCP server or an agent whose calls it checks. */
export abstract class GuardrailMapping {
  abstract guardrailId: string;
  abstract serverId: string;

  /** Id of the mapping itself. */
  @Column({ name: 'id', type: 'uuid' })
  id!: string;

  /** When the guardrail runs: before a call on its arguments, after it on its result. */
  @Column({ name: 'run_on', type: 'text', array: true })
  runOn!: ('beforeToolCall' | 'afterToolCall')[];

  /** Ids of tools or skills; empty for all of the server. */
  @Column({ name: 'capability_ids', type: 'uuid', array: true })
  capabilityIds!: string[];

  @Column({ name: 'created_at', type: 'timestamptz', precision: 3, default: () => 'now()' })
  createdAt!: Date;
}
