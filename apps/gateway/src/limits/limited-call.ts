import type { ToolAnnotation } from '@gw/limits';

/** The facts of a tool or agent call that limits depend on. */
export interface LimitedCall {
  /** Set for a call of an agent; absent for a call of a tool. */
  readonly of?: 'agent';
  /** Slug of the server or agent. */
  readonly server: string;
  /**
   * Name of the tool at its server, or id of the skill. Empty for a message that names no skill.
   */
  readonly tool: string;
  /** Name of the tool that the client used, if it differs. */
  readonly shownTool?: string;
  /** Effects that the approved definition of the tool declares. Absent: none. */
  readonly annotations?: readonly ToolAnnotation[];
  /** Price of the call in units of 1e-8 USD. */
  readonly price: number;
}
