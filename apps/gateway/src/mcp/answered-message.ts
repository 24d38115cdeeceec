import { GatewayError } from '@gw/kernel';
import { McpFault, type RequestId } from '@gw/mcp';
import type { McpPlace } from '@gw/oauth';
import { runContained, type ContainedRequest } from '../core/endings';
import type { Faults } from '../core/faults';
import type { RequestContext } from '../core/request-context';
import type { ToolAccounts } from '../limits/tool-accounts';
import { Denied } from './denials';
import type { McpReply } from './mcp-reply';
import type { EndpointRequest } from './mcp-request';
import { refuse, type RefusalParts } from './refusals';

export interface AnswerParts extends RefusalParts {
  readonly faults: Pick<Faults, 'ofRequest'>;
  readonly accounts: Pick<ToolAccounts, 'chargeCut'>;
  /** Logs failures of the gateway itself. */
  readonly failed: (context: RequestContext, error: GatewayError) => void;
}

/** A message that is being answered, with the reply that sends its response. */
export class AnsweredMessage implements ContainedRequest {
  /** Null before the request is read, and for messages that the gateway itself answers. */
  request: EndpointRequest | null = null;

  constructor(
    private readonly parts: AnswerParts,
    readonly place: McpPlace,
    readonly context: RequestContext,
    readonly reply: McpReply,
    /** Id of the message, for errors; null before it is read. */
    public id: RequestId | null = null,
  ) {}

  /** Answers the message, with an error when `work` throws. Never rejects. */
  run(work: () => Promise<void>): Promise<void> {
    return runContained(this, this.parts.faults, work);
  }

  refuse(thrown: unknown): void {
    const isFailure =
      thrown instanceof McpFault || thrown instanceof Denied || thrown instanceof GatewayError;
    if (!isFailure) throw thrown;
    if (thrown instanceof GatewayError && thrown.status >= 500) this.parts.failed(this.context, thrown);
    refuse(this.parts, thrown, this);
  }

  end(_context: RequestContext, error: GatewayError): void {
    this.parts.accounts.chargeCut(this.context);
    refuse(this.parts, error, this);
  }

  drop(_context: RequestContext, error: GatewayError): void {
    this.reply.drop(error);
  }
}
