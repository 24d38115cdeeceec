import fc from 'fast-check';
import { BodySkim } from './body-skim';
import { formScan } from './form-scan';
import { demandOf, largerDemand, NO_DEMAND } from './output-demand';
import { shallowScan } from './shallow-scan';

const scan = (text: string) => shallowScan(Buffer.from(text, 'utf8'));

describe('output demand of a body', () => {
  it.each([
    ['max_tokens', '{"model":"m","max_tokens":100}', { bound: 100 }],
    ['max_completion_tokens', '{"max_completion_tokens" : 7 ,"model":"m"}', { bound: 7 }],
    ['max_output_tokens', '{"max_output_tokens":0}', { bound: 0 }],
    ['the larger of two bounds', '{"max_tokens":5,"max_completion_tokens":9}', { bound: 9 }],
    [
      'the larger of two members of one name',
      '{"max_tokens":5,"n":9,"n":2,"max_tokens":3}',
      { bound: 5, choices: 9 },
    ],
    ['n', '{"n":3,"max_tokens":100}', { bound: 100, choices: 3 }],
    ['n without a bound', '{"n":100}', { choices: 100 }],
    ['best_of, of which n is a part', '{"n":2,"best_of":20}', { choices: 20 }],
    ['a list of prompts', '{"prompt":["a", "b,]" , ["x"]]}', { prompts: 3 }],
    ['a prompt of tokens', '{"prompt":[1,2, 3]}', {}],
    ['two prompts of tokens', '{"prompt":[[1,2],[3]]}', { prompts: 2 }],
    ['a prompt that is a text, or an object', '{"prompt":"[1,[2]]","x":{"prompt":["a","b"]}}', {}],
    [
      'Gemini’s settings',
      '{"generationConfig":{"maxOutputTokens":7,"candidateCount":4,"thinkingConfig":{"thinkingBudget":3}}}',
      { bound: 7, choices: 4, thinking: 3 },
    ],
    [
      'a budget for reasoning',
      '{"max_tokens":10,"thinking":{"type":"enabled","budget_tokens":4000}}',
      { bound: 10, thinking: 4000 },
    ],
    [
      'a reasoning budget that the model decides',
      '{"generationConfig":{"thinkingConfig":{"thinkingBudget":-1}}}',
      {},
    ],
    [
      'the settings of Bedrock and Ollama',
      '{"inferenceConfig":{"maxTokens":5},"options":{"num_predict":9}}',
      { bound: 9 },
    ],
    ['a number in another spelling', '{"max_tokens":1e3,"n":2.0}', { bound: 1000, choices: 2 }],
    ['a bound of ten digits', '{"max_tokens":1000000000}', { bound: 1_000_000_000 }],
    ['null, which counts as absent', '{"max_tokens":null,"n":null}', {}],
    ['members below the top level, which are ignored', '{"x":{"max_tokens":100},"messages":[{"n":2}]}', {}],
    ['similar names, which are ignored', '{"max_tokenz":100,"max_completion_tokenz":1,"N":3}', {}],
    ['a bound that is a text', '{"max_tokens":"5000"}', { bound: 5000, unread: 'max_tokens' }],
    ['a bound that is no whole number', '{"max_tokens":5000.5}', { bound: 5001, unread: 'max_tokens' }],
    [
      'a bound below 0, which some providers take for none',
      '{"max_tokens":-1}',
      { bound: Infinity, unread: 'max_tokens' },
    ],
    ['a bound that is a list', '{"max_tokens":[1]}', { bound: Infinity, unread: 'max_tokens' }],
    ['a count that is a text', '{"n":"100"}', { choices: 100, unread: 'n' }],
    ['a count that is no number', '{"n":{"a":1}}', { choices: 128, unread: 'n' }],
    [
      'a bound beyond the range of a double',
      '{"max_tokens":1e400}',
      { bound: Infinity, unread: 'max_tokens' },
    ],
  ])('reads the same demand from bytes and from the parsed body: %s', (title, text, demand) => {
    const expected = { ...NO_DEMAND, ...demand };
    expect(scan(text)).toMatchObject({ needsParse: false, output: expected });
    if (!title.startsWith('the larger of two members'))
      expect(demandOf(JSON.parse(text) as Record<string, unknown>)).toEqual(expected);
  });

  const AMOUNT = fc.oneof(
    fc.nat(),
    fc.integer(),
    fc.double(),
    fc.string(),
    fc.constantFrom(null, true, '7', 1e3),
  );
  const NAME = fc.constantFrom('max_tokens', 'n', 'best_of', 'budget_tokens', 'maxOutputTokens', 'x');
  const members = fc.dictionary(NAME, AMOUNT, { maxKeys: 4 });
  const GROUP = fc.constantFrom('thinking', 'generationConfig', 'thinkingConfig');
  const groups = fc.dictionary(GROUP, fc.oneof(members, fc.record({ thinkingConfig: members })), {
    maxKeys: 2,
  });
  const prompt = fc.oneof(
    fc.string(),
    fc.array(fc.oneof(fc.string(), fc.nat(), fc.array(fc.nat(), { maxLength: 3 })), { maxLength: 5 }),
  );
  const body = fc
    .tuple(members, groups, fc.option(prompt))
    .map(([plain, nested, given]) => ({ ...plain, ...nested, ...(given !== null && { prompt: given }) }));

  it('counts a list of prompts up to 100,000, and reports that there are more', () => {
    const demandOfPrompts = (count: number): unknown =>
      shallowScan(Buffer.from(`{"model":"m","prompt":[${'"a",'.repeat(count - 1)}"a"]}`)).output;
    expect(demandOfPrompts(100_000)).toMatchObject({ prompts: 100_000, unread: null });
    expect(demandOfPrompts(200_000)).toMatchObject({ prompts: 100_000, unread: 'prompt' });
  });

  it('reads the same demand from bytes and from the parsed body when the bytes can be read completely', () => {
    let read = 0;
    fc.assert(
      fc.property(body, (requested) => {
        const text = JSON.stringify(requested);
        const { needsParse, output } = scan(text);
        if (needsParse) return;
        const parsed = demandOf(JSON.parse(text) as Record<string, unknown>);
        expect(output.unread === null).toBe(parsed.unread === null);
        if (output.unread !== null) return;
        read += 1;
        expect(output).toEqual(parsed);
      }),
      { numRuns: 1_000 },
    );
    expect(read).toBeGreaterThan(50);
  });

  it('reads the demand of a form from its fields', () => {
    const field = (name: string, value: string) =>
      `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
    const form = (n: string) =>
      formScan(
        Buffer.from(`${field('model', 'gpt-image-1')}${field('n', n)}--b--\r\n`),
        'multipart/form-data; boundary=b',
      )?.output;
    expect(form('10')).toEqual({ ...NO_DEMAND, choices: 10 });
    expect(form('1e1')).toEqual({ ...NO_DEMAND, choices: 10, unread: 'n' });
  });

  it('reports a member as unread whose nested values are dropped from a body that is too large to keep', () => {
    const skim = new BodySkim(undefined);
    skim.add(Buffer.from('{"model":"m","max_tokens":5,"prompt":["a","b"]}'));
    expect(skim.scan()?.output).toEqual({ ...NO_DEMAND, bound: 5, unread: 'prompt' });
  });

  it('takes the maximum of each member of two demands', () => {
    const one = { bound: 5, thinking: 0, choices: 9, prompts: 1, unread: null };
    const other = { bound: null, thinking: 7, choices: 2, prompts: 3, unread: 'n' };
    expect(largerDemand(one, other)).toEqual({ bound: 5, thinking: 7, choices: 9, prompts: 3, unread: 'n' });
    expect(largerDemand(one, NO_DEMAND)).toBe(one);
  });

  it('requires a parse when a settings object has a name with an escape', () => {
    expect(scan('{"model":"m","generationConfig":{"candidate\\u0043ount":8}}').needsParse).toBe(true);
  });
});
