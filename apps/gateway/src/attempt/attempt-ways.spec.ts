import type { CompiledTarget } from '@gw/routing';
import { AROUND_ORDER, type AroundName } from '../core/order';
import type { RequestContext } from '../core/request-context';
import type { AttemptListener } from './gateway-response';
import { AttemptCall, type AroundStage } from './attempt-call';
import { AttemptWays, type AroundStages } from './attempt-ways';

const attempt = (): AttemptCall =>
  new AttemptCall({} as RequestContext, {} as CompiledTarget, {} as AttemptListener, null);

describe('AttemptWays', () => {
  /** Returns the stages that an attempt passes when it uses all but `unused`. */
  function runThrough(unused: ReadonlySet<AroundName>): string[] {
    const ran: string[] = [];
    const stageOf = (name: AroundName): AroundStage => ({
      isUsed: () => !unused.has(name),
      around: (call, next) => {
        ran.push(name);
        next.begin(call);
      },
    });
    const stages = Object.fromEntries(AROUND_ORDER.map((name) => [name, stageOf(name)])) as AroundStages;
    const ways = new AttemptWays(stages, { begin: () => ran.push('call') });
    ways.begin(attempt());
    return ran;
  }

  it('runs all around stages in order and then the provider call', () => {
    expect(runThrough(new Set())).toEqual([...AROUND_ORDER, 'call']);
  });

  it('skips stages that the attempt does not use', () => {
    expect(runThrough(new Set(['hedge', 'guardrails', 'cache']))).toEqual([
      ...['target', 'targetLimits', 'renewal', 'build', 'integratedModels', 'followUp'],
      'call',
    ]);
  });

  it('selects the stages for each attempt separately', () => {
    const ran: string[] = [];
    let isUsed = true;
    const pass: AroundStage = { around: (call, next) => next.begin(call) };
    const cache: AroundStage = {
      isUsed: () => isUsed,
      around: (call, next) => {
        ran.push('cache');
        next.begin(call);
      },
    };
    const stages = Object.fromEntries(AROUND_ORDER.map((name) => [name, pass])) as Record<
      AroundName,
      AroundStage
    >;
    const ways = new AttemptWays({ ...stages, cache }, { begin: () => ran.push('call') });
    ways.begin(attempt());
    isUsed = false;
    ways.begin(attempt());
    expect(ran).toEqual(['cache', 'call', 'call']);
  });
});
