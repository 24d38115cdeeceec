import type { CompiledTarget } from '@gw/config-schema';
import { GatewayError } from '@gw/kernel';
import type { Reservation } from '@gw/limits';
import { createPlan, type RoutingCursor, type RoutingRuntime, type RoutingState } from '@gw/routing';
import { parseJsonObject } from '../../http/json-body';
import type { Accounts } from '../../limits/accounts';
import { ReservedListener } from '../../limits/reserved-listener';
import type { Answer, Upstream } from '../answer';
import { askedModel } from '../asked-model';
import { refuseAccess } from '../attempt/access-rule';
import { Attempts, type AttemptMaker } from '../attempt/attempts';
import { endpointOf } from '../attempt/endpoint';
import type { BuiltRequest, RequestBuilder } from '../attempt/request-builder';
import type { AttemptListener, AttemptSender } from '../attempt/sender';
import type { Targeting } from '../attempt/targeting';
import type { Asked, Exchange, Stage } from '../exchange';

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

  run(exchange: Exchange): Promise<void> {
    return new Promise((resolve, reject) => {
      new Attempts(this, exchange, this.plan(exchange), resolve, reject).goOn();
    });
  }

  timeoutOf(exchange: Exchange, target: CompiledTarget): number {
    return this.builder.timeoutOf(exchange, target);
  }

  mayCall(exchange: Exchange, pending = 0): boolean {
    return exchange.calls + pending + callsOf(exchange) <= this.options.callsMax;
  }

  begin(exchange: Exchange, target: CompiledTarget, listener: AttemptListener): void {
    const picked = this.targeting.pick(exchange, target);
    if (picked instanceof Promise) {
      this.beginLater(exchange, picked, listener).catch((thrown: unknown) => listener.refused(thrown));
      return;
    }
    const reserved = this.reserve(exchange, picked);
    if (reserved === null) this.send(exchange, picked, listener);
    else if (reserved instanceof Promise) {
      reserved.then(
        (reservation) => this.sendReserved(exchange, picked, reservation, listener),
        (denied: unknown) => listener.refused(denied),
      );
    } else this.sendReserved(exchange, picked, reserved, listener);
  }

  private reserve(exchange: Exchange, upstream: Upstream): ReturnType<Accounts['reserve']> {
    refuseAccess(exchange, upstream, this.options.allowClientSecrets);
    return this.accounts.reserve(exchange, upstream);
  }

  discard(exchange: Exchange, answer: Answer): void {
    this.accounts.discard(exchange, answer);
  }

  private async beginLater(
    exchange: Exchange,
    picking: Promise<Upstream>,
    listener: AttemptListener,
  ): Promise<void> {
    const upstream = await picking;
    const reservation = await this.reserve(exchange, upstream);
    if (reservation === null) this.send(exchange, upstream, listener);
    else this.sendReserved(exchange, upstream, reservation, listener);
  }

  /** Never throws: it may be told later. */
  private sendReserved(
    exchange: Exchange,
    upstream: Upstream,
    reservation: Reservation,
    told: AttemptListener,
  ): void {
    const listener = new ReservedListener(exchange, this.accounts, reservation, told);
    try {
      this.send(exchange, { ...upstream, reservation }, listener);
    } catch (thrown) {
      listener.refused(thrown);
    }
  }

  private send(exchange: Exchange, upstream: Upstream, listener: AttemptListener): void {
    const { guarding } = exchange;
    if (guarding === null) this.sendAs(exchange, exchange, upstream, listener);
    else guarding.attempt(upstream, listener, (asked, own) => this.sendAs(exchange, asked, upstream, own));
  }

  /** `asked`: the exchange itself, or what guardrails have made of it. */
  private sendAs(exchange: Exchange, asked: Asked, upstream: Upstream, listener: AttemptListener): void {
    const built = this.builder.build(asked, upstream);
    if (asked !== exchange) exchange.hidesUsage = asked.hidesUsage;
    exchange.calls += callsOf(exchange);
    this.sender.send(exchange, withBuilt(upstream, built), built, listener);
  }

  private plan(exchange: Exchange): RoutingCursor {
    const { config, req, metadata } = exchange;
    if (config === null) throw new GatewayError('internal_error');
    const at = exchange.url.length - exchange.query.length;
    return createPlan(
      config,
      {
        metadata,
        params: () => paramsOf(exchange),
        header: (name) => {
          const value = req.headers[name];
          return Array.isArray(value) ? value.join(', ') : value;
        },
        pathname: exchange.url.slice(0, at),
        model: () => askedModel(exchange),
        caller: () => exchange.principal?.key.id ?? '',
        workspace: () => exchange.principal?.workspace.id ?? '',
        endpoint: (target) => endpointOf(exchange, target),
      },
      this.runtime,
    );
  }
}

/** That one attempt makes. */
const callsOf = ({ route }: Exchange): number => (route.followUp === null ? 1 : 2);

/** Of a spooled body only what its scan has found. A model in the path is the one that is asked for. */
function paramsOf(exchange: Exchange): object | undefined {
  const { call } = exchange.route;
  const inBody = paramsOfBody(exchange);
  return call === null ? inBody : { ...inBody, model: call.model };
}

function paramsOfBody(exchange: Exchange): object | undefined {
  const { scan, spooled } = exchange;
  if (scan === null || scan.isForm) return undefined;
  if (spooled === null) return exchange.json(parseJsonObject);
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
