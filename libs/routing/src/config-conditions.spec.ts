import { readCases } from '@gw/testing';
import { RE2JS } from 're2js';
import { CONFIG_LIMITS, Pattern } from '@gw/config-schema';
import { validateConfig } from './index';

interface Input {
  readonly repeat: string;
  readonly count: number;
  readonly tail: string;
}
const data = readCases('regex_templates.json') as {
  readonly regex: readonly { id: string; pattern: string; input: Input; reason: string }[];
  readonly invalid_patterns: readonly { id: string; pattern: string; expect: string; reason: string }[];
};

function failuresOf(query: unknown): string[] {
  const strategy = { mode: 'conditional', conditions: [{ query, then: 'a' }] };
  const result = validateConfig({ strategy, targets: [{ name: 'a' }] });
  return result.ok
    ? []
    : result.details.map(({ path, rule }) => `${path.split('.').slice(3).join('.')}: ${rule}`);
}

/**
 * Records the cost of every search from now on: instructions of the pattern times length of the
 * text.
 */
function searches(): readonly number[] {
  const steps: number[] = [];
  const test = Object.getOwnPropertyDescriptor(RE2JS.prototype, 'test')?.value as RE2JS['test'];
  jest.spyOn(RE2JS.prototype, 'test').mockImplementation(function (this: RE2JS, text) {
    steps.push(this.programSize() * text.length);
    return test.call(this, text);
  });
  return steps;
}

describe('Pattern.compile and $regex', () => {
  afterEach(() => jest.restoreAllMocks());

  it.each(data.regex)(
    '$id: refuses the pattern or searches it in bounded time ($reason)',
    ({ pattern, input }) => {
      const compiled = Pattern.compile(pattern);
      if (typeof compiled === 'string') {
        expect(failuresOf({ 'metadata.x': { $regex: pattern } })).toEqual([
          expect.stringContaining(': regex'),
        ]);
        return;
      }
      const text = input.repeat.repeat(input.count) + input.tail;
      const steps = searches();
      // The engine's time is proportional to the steps; a backtracking engine would need minutes or
      // years.
      for (let round = 0; round < 200; round++) compiled.test(text);
      for (const count of steps) expect(count).toBeLessThanOrEqual(200_000);
    },
  );

  it.each(data.invalid_patterns)('$id: refuses the pattern ($reason)', ({ pattern }) => {
    // A pattern larger than a whole config is refused for its size.
    const rule = pattern.length > CONFIG_LIMITS.bytesMax ? ': size' : ': regex';
    expect(failuresOf({ 'metadata.x': { $regex: pattern } })).toEqual([expect.stringContaining(rule)]);
    expect(Pattern.compile(pattern)).toEqual(expect.any(String));
  });

  it('searches at most 200,000 steps at once, for any pattern and text', () => {
    let seed = 1;
    const letter = (): string => ((seed = (seed * 48_271) % 2_147_483_647) % 2 === 0 ? 'a' : 'b');
    const text = Array.from({ length: 50_000 }, letter).join('');
    for (const source of ['[ab]*a[ab]{500}[cd]', 'a.{500}[c-z]', '(a|b)*a(a|b){250}[cd]']) {
      const pattern = Pattern.compile(source) as Pattern;
      const steps = searches();
      for (const length of [50_000, 20_000, 5000, 1000, 300, 100]) pattern.test(text.slice(0, length));
      for (const count of steps) expect(count).toBeLessThanOrEqual(200_000);
      // Short texts are searched; texts above the bound are not.
      expect(steps.length).toBeGreaterThan(0);
      expect(steps.length).toBeLessThan(6);
      jest.restoreAllMocks();
    }
  });

  it('accepts flags only on a group, so that a pattern has the same meaning in JavaScript', () => {
    expect(Pattern.compile('(?i)abc')).toEqual(expect.any(String));
    expect(Pattern.compile('a(?i)b')).toEqual(expect.any(String));
    expect((Pattern.compile('(?i:abc)') as Pattern).test('xABCx')).toBe(true);
    expect((Pattern.compile('[(?i)]') as Pattern).test('?')).toBe(true);
    expect((Pattern.compile('\\(?i\\)') as Pattern).test('(i)')).toBe(true);
  });

  it('refuses more than fifty patterns in one config', () => {
    const $or = Array.from({ length: 51 }, () => ({ model: { $regex: 'x' } }));
    expect(failuresOf({ $or })).toEqual([expect.stringContaining(': patterns')]);
    expect(failuresOf({ $or: $or.slice(1) })).toEqual([]);
  });
});

describe('queries in conditions', () => {
  it.each([
    [{}],
    [{ 'metadata.user.plan': 'paid' }],
    [{ 'params.messages.0.role': { $eq: 'user' }, model: { $in: ['a', 'b'] } }],
    [{ $and: [{ 'headers.X-Tier': { $ne: 'x' } }, { $not: { 'url.pathname': { $regex: '^/v1/chat' } } }] }],
    [{ 'params.max_tokens': { $gt: 1, $lte: '4096', $exists: true, $not: { $in: [7] } } }],
  ])('accepts %j', (query) => {
    expect(failuresOf(query)).toEqual([]);
  });

  it.each([
    [{ 'metdata.x': 1 }, 'query.metdata.x: subject'],
    [{ x: { $eq: 1 } }, 'query.x: subject'],
    [{ 'params.': 1 }, 'query.params.: subject'],
    [{ 'params.__proto__.x': 1 }, 'query.params.__proto__.x: subject'],
    [{ $nor: [] }, 'query.$nor: operator'],
    [{ $and: [] }, 'query.$and: type'],
    [{ $or: { model: 'x' } }, 'query.$or: type'],
    [{ $or: ['x'] }, 'query.$or.0: type'],
    [{ $not: [] }, 'query.$not: type'],
    [{ model: {} }, 'query.model: operator'],
    [{ model: { $like: 'x' } }, 'query.model.$like: operator'],
    [{ model: { constructor2: 'x' } }, 'query.model.constructor2: operator'],
    [{ model: ['x'] }, 'query.model: type'],
    [{ model: { $in: 'x' } }, 'query.model.$in: type'],
    [{ model: { $in: [{}] } }, 'query.model.$in: type'],
    [{ model: { $gt: 'many' } }, 'query.model.$gt: type'],
    [{ model: { $exists: 1 } }, 'query.model.$exists: type'],
    [{ model: { $regex: 5 } }, 'query.model.$regex: regex'],
    [{ model: { $not: 'x' } }, 'query.model.$not: type'],
  ])('refuses %j', (query, failure) => {
    expect(failuresOf(query)).toEqual([failure]);
  });
});
