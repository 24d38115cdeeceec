import { compileConfig } from './config-language';
import { simulate, type SimulatedRequest } from './index';
import { responded, compiled } from './spec-support/play';

const request: SimulatedRequest = {
  metadata: { plan: 'paid' },
  params: { model: 'gpt-x', user: 'u1' },
  headers: { 'x-region': 'eu' },
  pathname: '/v1/chat/completions',
  caller: 'key',
};
const options = { nowMs: Date.UTC(2026, 10, 20, 12) };

const config = compiled({
  strategy: {
    mode: 'conditional',
    conditions: [
      { query: { 'metadata.plan': 'paid', 'headers.x-region': 'eu', model: 'gpt-x' }, then: 'good' },
    ],
    default: 'plain',
  },
  targets: [
    {
      name: 'good',
      strategy: { mode: 'fallback' },
      targets: [{ provider: '@first', retry: { attempts: 1 } }, { virtual_key: 'second' }],
    },
    { name: 'plain', provider: 'openai' },
  ],
});

describe('simulate', () => {
  it('returns the plan in which every attempt fails, and the decision for the given outcomes', () => {
    const { plan, decision } = simulate(
      config,
      request,
      [responded(503), responded(503), responded(201)],
      options,
    );
    expect(plan.map(({ target, provider, retry, waitMs }) => [target, provider, retry, waitMs])).toEqual([
      ['config.targets[0].targets[0]', '@first', 0, 0],
      ['config.targets[0].targets[0]', '@first', 1, 500],
      ['config.targets[0].targets[1]', '@second', 0, 0],
    ]);
    expect(decision).toMatchObject({
      attempts: [{ status: 503 }, { status: 503, retry: 1 }, { status: 201 }],
      end: 'answered',
      respondedBy: 'config.targets[0].targets[1]',
      matchedCondition: 'config.strategy.conditions[0] -> good',
      strategy: [
        'config: conditional -> targets[0]',
        'config.targets[0]: fallback -> targets[0]',
        'config.targets[0]: fallback -> targets[1]',
      ],
      retryCount: 0,
    });
  });

  it('treats an attempt without an outcome as answered with 200', () => {
    const { decision } = simulate(config, { ...request, metadata: {} }, [], options);
    expect(decision).toMatchObject({
      end: 'answered',
      respondedBy: 'config.targets[1]',
      attempts: [{ status: 200 }],
    });
  });

  it('reports when no condition matched', () => {
    const strict = compiled({
      strategy: { mode: 'conditional', conditions: [{ query: { model: 'other' }, then: 'a' }] },
      targets: [{ name: 'a' }],
    });
    expect(simulate(strict, request, [], options)).toMatchObject({
      plan: [],
      decision: { end: 'condition_unmatched', respondedBy: null, attempts: [] },
    });
  });

  it('advances the clock with the attempts, so that breakers open and skip targets', () => {
    const broken = compiled({
      strategy: { mode: 'fallback', cb_config: { consecutive_failures: 1 } },
      retry: { attempts: 3 },
      targets: [{ provider: 'a' }, { provider: 'b' }],
    });
    const { decision } = simulate(broken, request, [responded(500)], options);
    expect(decision.routing.map(({ event }) => event)).toEqual(['breaker_opened', 'breaker_open']);
    expect(decision.attempts).toHaveLength(2);
  });

  it('gives the same result for the same arguments', () => {
    const balanced = compileConfig({
      strategy: { mode: 'loadbalance' },
      targets: [{ provider: 'a' }, { provider: 'b' }],
    });
    const once = simulate(balanced, request, [], { ...options, random: 0.9 });
    expect(simulate(balanced, request, [], { ...options, random: 0.9 })).toEqual(once);
    expect(once.decision.respondedBy).toBe('config.targets[1]');
  });
});
