import type { InheritedSettings } from '@gw/config-schema';
import type { CompiledTarget } from './compile/compiled';
import { compileConfig, validateConfig } from './config-language';
import fc from 'fast-check';
import { applyParams, ParamRules, type JsonObject } from './index';

function target(rules: InheritedSettings): CompiledTarget {
  expect(validateConfig({ provider: 'openai', ...rules })).toMatchObject({ ok: true });
  return compileConfig({ provider: 'openai', ...rules }).targets[0] as CompiledTarget;
}

describe('applyParams', () => {
  it('fills absent members, then overrides members, then drops paths', () => {
    const rules = target({
      default_params: { temperature: 0, user: 'default', seed: 1 },
      override_params: { model: 'gpt-y', seed: 2 },
      drop_params: ['seed', 'logprobs', 'nothing.here'],
    });
    expect(applyParams({ model: 'gpt-x', temperature: null, logprobs: 5 }, rules)).toEqual({
      model: 'gpt-y',
      temperature: null,
      user: 'default',
    });
  });

  it('overrides whole members, not their parts', () => {
    const rules = target({ override_params: { response_format: { type: 'json_object' } } });
    expect(applyParams({ response_format: { type: 'text', schema: {} } }, rules)).toEqual({
      response_format: { type: 'json_object' },
    });
  });

  it.each([
    [['a.b'], { a: { b: 1, c: 2 } }, { a: { c: 2 } }],
    [['a[0]'], { a: [1, 2, 3] }, { a: [2, 3] }],
    [['a[0]', 'a[1]'], { a: [1, 2, 3] }, { a: [3] }],
    [['a[1]', 'a[0].x'], { a: [{ x: 1, y: 2 }, 2, 3] }, { a: [{ y: 2 }, 3] }],
    [['a[*]'], { a: [1, 2] }, { a: [] }],
    [['a[*].b'], { a: [{ b: 1 }, 'text', { b: 2, c: 3 }, null] }, { a: [{}, 'text', { c: 3 }, null] }],
    [['a[*][0]'], { a: [[1, 2], [], [3]] }, { a: [[2], [], []] }],
    [['a.b.c', 'a.b.d', 'a.b'], { a: { b: { c: 1, d: 2 } } }, { a: {} }],
    [['a[9]', 'a.b', 'b[0]', 'toString', 'c.length'], { a: [1], b: {}, c: 'x' }, { a: [1], b: {}, c: 'x' }],
  ])('drops %j from %j', (drop_params, body: JsonObject, expected) => {
    const before = structuredClone(body);
    expect(applyParams(body, target({ drop_params }))).toEqual(expected);
    expect(body).toEqual(before);
  });

  it('returns the body itself when nothing changed', () => {
    const body = { model: 'gpt-x', temperature: 1 };
    const rules = {
      default_params: { model: 'x' },
      override_params: { temperature: 1 },
      drop_params: ['user'],
    };
    expect(applyParams(body, target(rules))).toBe(body);
    expect(applyParams(body, target({}))).toBe(body);
  });

  it('never changes the body or the rules, and copies only what changes', () => {
    const path = fc.stringMatching(/^[abc](?:\.[abc]|\[[0-2]\]|\[\*\]){0,4}$/);
    const value = fc.letrec((tie) => ({
      any: fc.oneof(
        { maxDepth: 4 },
        fc.integer(),
        fc.dictionary(fc.constantFrom('a', 'b', 'c'), tie('any')),
        fc.array(tie('any'), { maxLength: 3 }),
      ),
    })).any;
    const members = fc.dictionary(fc.constantFrom('a', 'b', 'c', 'd'), value);
    fc.assert(
      fc.property(
        members,
        members,
        members,
        fc.array(path, { maxLength: 4 }),
        (body, defaults, overrides, drops) => {
          const rules = target({ default_params: defaults, override_params: overrides, drop_params: drops });
          const before = JSON.stringify([body, rules]);
          const untouched = { d: { x: 1 }, ...body };
          const result = applyParams(untouched, rules);
          expect(JSON.stringify([body, rules])).toBe(before);
          expect(JSON.stringify(result)).not.toContain('null');
          if (!('d' in overrides)) expect(result['d']).toBe(untouched.d);
        },
      ),
      { seed: 20, numRuns: 500 },
    );
  });

  /** Wraps a value so that `count` is called for every visited item or member. */
  function counted<T extends object>(value: T, count: () => void): T {
    return new Proxy(value, {
      get(target, key, receiver): unknown {
        if (key !== 'length') count();
        return Reflect.get(target, key, receiver);
      },
      getOwnPropertyDescriptor(target, key) {
        count();
        return Reflect.getOwnPropertyDescriptor(target, key);
      },
    });
  }

  it('walks a list once for all paths of a target', () => {
    let steps = 0;
    const item = counted({ kept: 1 }, () => steps++);
    const body = { messages: Array.from({ length: 50 }, () => item) };
    const paths = Array.from({ length: 100 }, (_, index) => `messages[*].a${String(index)}`);
    expect(applyParams(body, target({ drop_params: paths }))).toBe(body);
    expect(steps).toBeLessThanOrEqual(100);
  });

  it('walks a body once for targets with equal rules', () => {
    let steps = 0;
    const messages = counted([{ a: 1 }, { a: 2 }], () => steps++);
    const rules = new ParamRules({ messages });
    const first = rules.apply(target({ drop_params: ['messages[*].a'] }));
    const before = steps;
    expect(rules.apply(target({ drop_params: ['messages[*].a'] }))).toBe(first);
    expect(steps).toBe(before);
    expect(rules.apply(target({ drop_params: ['messages[0]'] }))).toEqual({ messages: [{ a: 2 }] });
  });

  it('refuses a body in which the paths of all targets together match too many members', () => {
    const rules = new ParamRules({ messages: Array.from({ length: 300_000 }, () => 1) });
    rules.apply(target({ drop_params: ['messages[*].a'] }));
    expect(() => rules.apply(target({ drop_params: ['messages[*].b'] }))).toThrow(
      'lead to more than 500000 members of the request body; send a smaller body',
    );
  });

  it('drops every item of a list with 200,000 items, more than a call can take as arguments', () => {
    const body = { messages: Array.from({ length: 200_000 }, (_, index) => index) };
    expect(applyParams(body, target({ drop_params: ['messages[*]'] }))).toEqual({ messages: [] });
  });
});
