import type { Upstream } from '../core/upstream';
import { refuseAccess } from './access-rule';
import { refuseTooLong } from './context-window';
import { refuseLacking } from './model-lacks';
import type { TargetPricer } from '../usage/use';
import type { AroundStage, AttemptCall, Next } from './attempt-call';
import type { Targeting } from './targeting';

/** Resolves the provider and the credential of an attempt's target. */
export class TargetAround implements AroundStage {
  constructor(
    private readonly targeting: Targeting,
    private readonly allowClientSecrets: boolean,
    private readonly windows: Pick<TargetPricer, 'contextTokens'>,
  ) {}

  around(call: AttemptCall, next: Next): void {
    const picked = this.targeting.pick(call.context, call.target);
    if (!(picked instanceof Promise)) this.proceed(call, picked, next);
    else
      picked
        .then((upstream) => this.proceed(call, upstream, next))
        .catch((thrown: unknown) => call.listener.refused(thrown));
  }

  private proceed(call: AttemptCall, upstream: Upstream, next: Next): void {
    refuseAccess(call.context, upstream, this.allowClientSecrets);
    refuseTooLong(call.context, upstream, this.windows);
    refuseLacking(call.context, upstream);
    call.upstream = upstream;
    next.begin(call);
  }
}
