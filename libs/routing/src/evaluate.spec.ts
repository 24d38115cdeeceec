import type { JsonObject } from '@gw/config-schema';
import { compileConfig, validateConfig } from './config-language';
import { createPlan, createRoutingState, type RequestFacts } from './index';

const body = {
  model: 'gpt-x',
  max_tokens: 100,
  stream: true,
  user: null,
  size: '9.5x',
  messages: [{ role: 'system' }, { role: 'user', content: { text: 'hello world' } }],
  deep: { a: { b: { c: { d: 1 } } } },
};
const facts: RequestFacts = {
  metadata: { plan: 'paid', tier: '10', 'a.b': 'dotted', empty: '' },
  params: () => body,
  header: (name) => (name === 'x-region' ? 'eu-west' : undefined),
  pathname: '/v1/chat/completions',
  model: () => 'gpt-x',
  caller: () => 'key',
  workspace: () => 'w',
  endpoint: ({ endpoint }) => endpoint,
};

/** A Friday. */
const NOW = Date.UTC(2026, 10, 20, 9, 30, 59);

function isMatch(query: JsonObject, request: RequestFacts = facts): boolean {
  const config = {
    strategy: { mode: 'conditional', conditions: [{ query, then: 'yes' }], default: 'no' },
    targets: [{ name: 'yes' }, { name: 'no' }],
  };
  const result = validateConfig(config);
  if (!result.ok) throw new Error(JSON.stringify(result.details));
  const runtime = { random: () => 0, now: () => NOW, state: createRoutingState() };
  const step = createPlan(compileConfig(result.config), request, runtime).next(null);
  return step.kind === 'attempt' && step.target.name === 'yes';
}

describe('conditions', () => {
  it.each<[JsonObject]>([
    [{}],
    [{ 'metadata.plan': 'paid' }],
    [{ 'metadata.a.b': 'dotted' }],
    [{ 'metadata.tier': 10 }],
    [{ 'metadata.tier': { $gt: 9, $lt: '11' } }],
    [{ 'metadata.tier': { $gte: 10, $lte: 10 } }],
    [{ 'metadata.plan': { $in: ['free', 'paid'] } }],
    [{ 'metadata.plan': { $nin: ['free'] } }],
    [{ 'metadata.plan': { $ne: 'free' } }],
    [{ 'metadata.none': { $ne: 'free' } }],
    [{ 'metadata.none': { $nin: ['free'] } }],
    [{ 'metadata.none': { $exists: false } }],
    [{ 'metadata.empty': { $exists: true } }],
    [{ 'metadata.none': { $not: { $regex: '.' } } }],
    [{ 'params.deep.a.b.c.d': 1 }],
    [{ 'params.messages.1.content.text': { $regex: '^hello' } }],
    [{ 'params.messages.0.role': 'system' }],
    [{ 'params.stream': true }],
    [{ 'params.user': null }],
    [{ 'params.user': { $exists: true } }],
    [{ 'params.max_tokens': { $regex: '^1' } }],
    [{ 'headers.X-Region': { $regex: '^eu-' } }],
    [{ 'url.pathname': { $regex: '/chat/' } }],
    [{ model: { $regex: 'gpt|claude' } }],
    [{ $or: [{ model: 'other' }, { 'metadata.plan': 'paid' }] }],
    [{ $not: { model: 'other' } }],
    [{ 'time.of_day': '09:30' }],
    [{ 'time.of_day': { $gte: '09:00', $lt: '17:00' } }],
    [{ $or: [{ 'time.of_day': { $gte: '22:00' } }, { 'time.of_day': { $lt: '09:31' } }] }],
    [{ 'time.weekday': { $in: ['thu', 'fri'] } }],
    [{ 'time.weekday': { $regex: '^f' } }],
  ])('holds: %j', (query) => {
    expect(isMatch(query)).toBe(true);
  });

  it.each<[JsonObject]>([
    [{ 'metadata.plan': 'free' }],
    [{ 'metadata.none': 'undefined' }],
    [{ 'metadata.toString': { $exists: true } }],
    [{ 'metadata.none': { $regex: 'undefined' } }],
    [{ 'metadata.none': { $gt: -1 } }],
    [{ 'metadata.none': { $lt: 1 } }],
    [{ 'metadata.none': { $in: ['undefined', null] } }],
    [{ 'metadata.none': { $not: { $exists: false } } }],
    [{ 'metadata.plan': { $gt: 0 } }],
    [{ 'metadata.empty': { $gte: 0 } }],
    [{ 'params.size': { $gt: 9 } }],
    [{ 'params.max_tokens': '100' }],
    [{ 'params.stream': { $gt: 0 } }],
    [{ 'params.user': { $lte: 0 } }],
    [{ 'params.messages.2.role': { $exists: true } }],
    [{ 'params.messages.length': { $exists: true } }],
    [{ 'params.model.length': { $exists: true } }],
    [{ 'params.deep.toString': { $exists: true } }],
    [{ 'params.deep': { $regex: '.' } }],
    [{ model: { $regex: 'gpt', $ne: 'gpt-x' } }],
    [{ 'metadata.plan': 'paid', model: 'other' }],
    [{ $or: [{ model: 'gpt-x' }], 'metadata.plan': 'free' }],
    [{ $and: [{ model: 'gpt-x' }], 'metadata.plan': 'free' }],
    [{ $and: [{ model: 'gpt-x' }, { model: 'other' }] }],
    [{ 'time.of_day': { $gt: '09:30' } }],
    [{ 'time.of_day': { $lt: '09:30' } }],
    [{ 'time.weekday': { $nin: ['fri'] } }],
  ])('does not hold: %j', (query) => {
    expect(isMatch(query)).toBe(false);
  });

  it('treats params and model as absent when the request has no JSON object as its body and no model', () => {
    for (const params of [undefined, null, 'text', 5, []]) {
      const bare: RequestFacts = { ...facts, params: () => params, model: () => null };
      expect(isMatch({ 'params.model': { $exists: true } }, bare)).toBe(false);
      expect(isMatch({ model: { $exists: true } }, bare)).toBe(false);
      expect(isMatch({ 'params.model': { $ne: 'x' } }, bare)).toBe(true);
    }
  });
});
