/** A call of a tool or an agent, as far as limits look at it. */
export interface LimitedCall {
  /** Absent: a tool. */
  readonly of?: 'agent';
  /** Slug of the server or agent. */
  readonly server: string;
  /** The server's own name of the tool, or the id of the skill; empty for a message that names no skill. */
  readonly tool: string;
  /** Name of a tool that the client used. */
  readonly shownTool?: string;
  /** 1e-8 USD. */
  readonly price: number;
}
