import type { IncomingMessage, ServerResponse } from 'node:http';
import { A2aError, checkAbilities, EXTENSIONS_HEADER } from '@gw/a2a';
import { cancelled } from '@gw/a2a-client';
import { GatewayError, MINUTE_MS, type Shares } from '@gw/kernel';
import { assertForTarget } from '../auth/authenticate.stage';
import type { GatewayPrincipal } from '../auth/principals';
import { endWithResponse, requestMemory } from '../bodies/held-responses';
import { runContained, type ContainedRequest } from '../core/endings';
import type { Faults } from '../core/faults';
import { RequestContext, type Stage } from '../core/request-context';
import { timedReceive } from '../core/timed-receive';
import { targetOf } from '../http/request-rules';
import type { RequestsInFlight } from '../in-flight/requests-in-flight';
import type { ToolAccounts } from '../limits/tool-accounts';
import { CallReply, type CallReplyOptions } from '../reply/call-reply';
import type { AgentRequest } from './agent-request';
import { AGENT_ROUTE, CATALOGUE_ROUTE } from './agent-route';
import { CATALOGUE_PATH, type AgentDestination } from './agent-destination';
import type { AgentServers } from './agent-servers';
import type { AgentCards } from './cards/agent-cards';
import { sendCard } from './cards/card-requests';
import { agentPath } from './agent-path';
import { AgentDenied } from './denials';
import type { Operations } from './operations';
import type { Catalogue } from './cards/catalogue';
import type { PushDoor } from './push/push-door';
import { firstForm, readCall } from './read-request';
import { refuse, type RefusalParts } from './refusals';
import type { ResponseForm } from './response-form';

export interface AgentsDoorParts extends RefusalParts {
  readonly accept: Stage;
  readonly authenticate: Stage;
  readonly receive: Stage;
  readonly servers: AgentServers;
  readonly operations: Operations;
  readonly cards: AgentCards;
  readonly catalogue: Catalogue;
  readonly push: PushDoor;
  readonly replies: CallReplyOptions;
  readonly requestsInFlight: RequestsInFlight;
  readonly faults: Pick<Faults, 'ofRequest'>;
  readonly accounts: Pick<ToolAccounts, 'chargeCut'>;
  /** Logs failures of the gateway itself. */
  readonly failed: (context: RequestContext, error: GatewayError) => void;
  /** Memory for responses of agents; workspaces share it. */
  readonly memory: Shares;
}

type AgentPlaceRoute = Exclude<AgentDestination, { kind: 'catalogue' | 'push' }>;

/**
 * Milliseconds for which a call continues after its client has disconnected, so that its result is
 * charged and its task is stored.
 */
const ABANDONED_MS = MINUTE_MS;

/**
 * Receives HTTP requests to agents: authenticates the caller, finds the agent, and runs the
 * operation.
 */
export class AgentsDoor {
  constructor(private readonly parts: AgentsDoorParts) {}

  handle(id: string, req: IncomingMessage, res: ServerResponse, to: AgentDestination): void {
    if (to.kind === 'push') {
      this.parts.push.handle(id, req, res, to.sealed);
      return;
    }
    const { path, query } = targetOf(req.url ?? '/');
    const route = to.kind === 'catalogue' ? CATALOGUE_ROUTE : AGENT_ROUTE;
    const context = new RequestContext(id, req, res, req.method ?? 'GET', path + query, query, route);
    void new Visit(this.parts, context, new CallReply(context, this.parts.replies, {}), to).run();
  }
}

/** Handles one HTTP request. */
class Visit implements ContainedRequest {
  form: ResponseForm;

  constructor(
    private readonly parts: AgentsDoorParts,
    readonly context: RequestContext,
    readonly reply: CallReply,
    private readonly route: Exclude<AgentDestination, { kind: 'push' }>,
  ) {
    this.form = firstForm(route, context);
  }

  /** Never rejects. */
  run(): Promise<void> {
    return runContained(this, this.parts.faults, () => this.respond());
  }

  refuse(thrown: unknown): void {
    const isFailure =
      thrown instanceof A2aError || thrown instanceof AgentDenied || thrown instanceof GatewayError;
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

  /** Path of the agent, which is the resource of OAuth tokens. */
  get resourcePath(): string {
    return this.route.kind === 'catalogue' ? CATALOGUE_PATH : agentPath(this.route);
  }

  private async respond(): Promise<void> {
    const { context, route, reply } = this;
    const { accept, authenticate, receive, servers } = this.parts;
    await accept.run(context);
    if (route.kind === 'card' && !context.gw.apiKey && (await this.sendListed(route))) return;
    await authenticate.run(context);
    if (route.kind === 'catalogue') {
      const catalogue = await this.parts.catalogue.of(context.principal as GatewayPrincipal, context);
      reply.end(JSON.stringify(catalogue), 200, { 'content-type': 'application/ai-catalog+json' });
      return;
    }
    const view = await servers.find(context.principal as GatewayPrincipal, route);
    if (view === null) throw new GatewayError('not_found', { message: 'There is no such agent.' });
    assertForTarget(view.caller.principal, view.document.id);
    if (route.kind === 'card') {
      await sendCard(this.parts.cards, view, { context, reply, path: agentPath(route) });
      return;
    }
    await timedReceive(receive, context);
    const call = readCall(route, context, (form) => (this.form = form));
    const { headers } = context.req;
    const named = headers[EXTENSIONS_HEADER['1.0']] ?? headers[EXTENSIONS_HEADER['0.3']];
    const extensions = checkAbilities(
      call.operation,
      view.abilities,
      Array.isArray(named) ? named.join() : named,
    );
    await this.carryOut({ view, call, extensions, path: agentPath(route) });
  }

  /** Sends a public card; resolves to false when there is none. */
  private async sendListed(route: AgentPlaceRoute): Promise<boolean> {
    const { context, reply } = this;
    const view = await this.parts.servers.findListed(route);
    if (view === null) return false;
    await sendCard(this.parts.cards, view, { context, reply, path: agentPath(route) });
    return true;
  }

  private async carryOut(read: Pick<AgentRequest, 'view' | 'call' | 'extensions' | 'path'>): Promise<void> {
    const { context, reply, form } = this;
    const abort = new AbortController();
    let abortTimer: NodeJS.Timeout | undefined;
    context.whenClientGone({
      clientGone: () => {
        // The gateway has ended the request itself: its result is of no use.
        if (context.settled) abort.abort(cancelled());
        else abortTimer = setTimeout(() => abort.abort(cancelled()), ABANDONED_MS).unref();
      },
    });
    this.parts.requestsInFlight.join(context);
    const memory = requestMemory(this.parts.memory, read.view.document);
    try {
      await this.parts.operations.run({ ...read, context, reply, form, memory, signal: abort.signal });
    } finally {
      endWithResponse(memory, context.res);
      context.whenClientGone(null);
      clearTimeout(abortTimer);
    }
  }
}
