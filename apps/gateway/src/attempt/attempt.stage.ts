import type { CompiledTarget } from '@gw/config-schema';
import { GatewayError } from '@gw/kernel';
import type { Reservation } from '@gw/limits';
import { createPlan, type RoutingCursor, type RoutingRuntime, type RoutingState } from '@gw/routing';
import { parseJsonObject } from '../bodies/json-body';
import type { Accounts } from '../limits/accounts';
import { ReservedListener } from '../limits/reserved-listener';
import type { Answer } from './answer';
import type { Upstream } from '../core/upstream';
import { requestedModel } from '../core/requested-model';
import { refuseAccess } from './access-rule';
import { Attempts } from './attempts';
import { type AttemptMaker } from './attempt-maker';
import { endpointOf } from './endpoint';
import type { BuiltRequest, RequestBuilder } from './request/request-builder';
import type { AttemptSender } from './sender';
import type { AttemptListener } from './answer';
import type { Targeting } from './targeting';
import type { RequestView, RequestContext, Stage } from '../core/request-context';

/** Asks the plan for the next target until one answers well enough or nothing is left to try. */
export class AttemptStage implements Stage, AttemptMaker {
  private readonly runtime: RoutingRuntime;

  constructor(
    private readonly targeting: Targeting,
    private readonly builder: RequestBuilder,
    private readonly sender: AttemptSender,
    private readonly accounts: Accounts,
    state: RoutingState,
    private readonly options: { readonly callsMax: number; readonly allowClientSecrets: boolean },
  ) {
    this.runtime = { random: () => Math.random(), now: Date.now, state };
  }

  run(context: RequestContext): Promise<void> | undefined {
    if (hasReply(context)) return undefined;
    return new Promise((resolve, reject) => {
      new Attempts(this, context, this.plan(context), resolve, reject).goOn();
    });
  }

  timeoutOf(context: RequestContext, target: CompiledTarget): number {
    return this.builder.timeoutOf(context, target);
  }

  mayCall(context: RequestContext, pending = 0): boolean {
    return context.attempts.calls + pending + callsOf(context) <= this.options.callsMax;
  }

  begin(context: RequestContext, target: CompiledTarget, listener: AttemptListener): void {
    const picked = this.targeting.pick(context, target);
    if (picked instanceof Promise) {
      this.beginLater(context, picked, listener).catch((thrown: unknown) => listener.refused(thrown));
      return;
    }
    const reserved = this.reserve(context, picked);
    if (reserved === null) this.send(context, picked, listener);
    else if (reserved instanceof Promise) {
      reserved.then(
        (reservation) => this.sendReserved(context, picked, reservation, listener),
        (denied: unknown) => listener.refused(denied),
      );
    } else this.sendReserved(context, picked, reserved, listener);
  }

  private reserve(context: RequestContext, upstream: Upstream): ReturnType<Accounts['reserve']> {
    refuseAccess(context, upstream, this.options.allowClientSecrets);
    return this.accounts.reserve(context, upstream);
  }

  discard(context: RequestContext, answer: Answer): void {
    this.accounts.discard(context, answer);
  }

  private async beginLater(
    context: RequestContext,
    picking: Promise<Upstream>,
    listener: AttemptListener,
  ): Promise<void> {
    const upstream = await picking;
    const reservation = await this.reserve(context, upstream);
    if (reservation === null) this.send(context, upstream, listener);
    else this.sendReserved(context, upstream, reservation, listener);
  }

  /** Never throws: failures are reported to the listener. */
  private sendReserved(
    context: RequestContext,
    upstream: Upstream,
    reservation: Reservation,
    reported: AttemptListener,
  ): void {
    const listener = new ReservedListener(context, this.accounts, reservation, reported);
    try {
      this.send(context, { ...upstream, reservation }, listener);
    } catch (thrown) {
      listener.refused(thrown);
    }
  }

  private send(context: RequestContext, upstream: Upstream, listener: AttemptListener): void {
    const { guardrails } = context;
    if (guardrails === null) this.sendAs(context, context, upstream, listener);
    else
      guardrails.attempt(upstream, listener, (request, own) => this.sendAs(context, request, upstream, own));
  }

  /** `request`: the request itself, or what guardrails have made of it. */
  private sendAs(
    context: RequestContext,
    request: RequestView,
    upstream: Upstream,
    listener: AttemptListener,
  ): void {
    const built = this.builder.build(request, upstream);
    context.attempts.hidesUsage = built.hidesUsage;
    context.attempts.calls += callsOf(context);
    this.sender.send(context, withBuilt(upstream, built), built, listener);
  }

  private plan(context: RequestContext): RoutingCursor {
    const { config, req, metadata } = context;
    if (config === null) throw new GatewayError('internal_error');
    const at = context.url.length - context.query.length;
    return createPlan(
      config,
      {
        metadata,
        params: () => paramsOf(context),
        header: (name) => {
          const value = req.headers[name];
          return Array.isArray(value) ? value.join(', ') : value;
        },
        pathname: context.url.slice(0, at),
        model: () => requestedModel(context),
        caller: () => context.principal?.key.id ?? '',
        workspace: () => context.principal?.workspace.id ?? '',
        endpoint: (target) => endpointOf(context, target),
      },
      this.runtime,
    );
  }
}

/** A rendered prompt or a stored response is the reply: no provider is called. */
const hasReply = ({ prompt, idempotency }: RequestContext): boolean =>
  (prompt !== null && prompt.rendered !== null) || (idempotency !== null && idempotency.replayed !== null);

/** That one attempt makes. */
const callsOf = ({ route }: RequestContext): number => (route.followUp === null ? 1 : 2);

/** Of a spooled body only what its scan has found. A model in the path is the one that is requested. */
function paramsOf(context: RequestContext): object | undefined {
  const { call } = context.route;
  const inBody = paramsOfBody(context);
  return call === null ? inBody : { ...inBody, model: call.model };
}

function paramsOfBody(context: RequestContext): object | undefined {
  const { scan, spooled } = context;
  if (scan === null || scan.isForm) return undefined;
  if (spooled === null) return context.json(parseJsonObject);
  return {
    ...(scan.model !== null && { model: scan.model }),
    ...(scan.stream !== null && { stream: scan.stream }),
  };
}

/** With what came of the body, where it was made anew: answer and record need it. */
function withBuilt(upstream: Upstream, { clientBody, dropped }: BuiltRequest): Upstream {
  if (clientBody === null) return upstream;
  return dropped === null ? { ...upstream, clientBody } : { ...upstream, clientBody, dropped };
}
