import fc from 'fast-check';
import { PROVIDERS } from '../registry';
import type { JsonObject, Provider } from '../provider';
import { readResponse, readUsageAtEnd } from './read-usage';
import { shallowResponse } from './shallow-scan';

const provider = (id: string): Provider => PROVIDERS.get(id) as Provider;
const openai = provider('openai');
const readUsage = (...args: Parameters<typeof readResponse>) => readResponse(...args).usage;
const bytes = (body: unknown, indent?: number) => Buffer.from(JSON.stringify(body, null, indent), 'utf8');

const counts = fc.record({
  prompt_tokens: fc.nat(1e6),
  completion_tokens: fc.nat(1e6),
  note: fc.string({ unit: fc.constantFrom('"', '\\', '}', 'usage', '"usage":{"prompt_tokens":9}', 'é') }),
});

describe('readResponse usage', () => {
  it('reads the same usage as a full parse, wherever it is and whatever the texts around it contain', () => {
    const member = fc.tuple(
      fc.oneof(fc.constantFrom('id', 'choices', 'x"usage', 'model'), fc.string()),
      fc.oneof(
        fc.jsonValue(),
        counts.map((usage) => ({ usage })),
        counts.map((usage) => JSON.stringify({ usage })),
      ),
    );
    fc.assert(
      fc.property(
        fc.array(member),
        fc.option(counts),
        fc.array(member),
        fc.constantFrom(undefined, 2),
        (before, usage, after, indent) => {
          const body = {
            ...Object.fromEntries(before),
            ...(usage === null ? {} : { usage }),
            ...Object.fromEntries(after.filter(([key]) => key !== 'usage')),
          };
          expect(readUsage(openai, bytes(body, indent))).toEqual(
            openai.usage(JSON.parse(JSON.stringify(body)) as JsonObject),
          );
        },
      ),
      { numRuns: 2_000 },
    );
  });

  it('finds the usage at the end of a response without parsing the rest', () => {
    const response = bytes({
      choices: [{ message: { content: 'x'.repeat(5_000) } }],
      usage: { prompt_tokens: 5 },
      model: 'm',
    });
    expect(shallowResponse(response)?.usage?.toString()).toBe('{"prompt_tokens":5}');
    expect(shallowResponse(bytes({ choices: [{ usage: { prompt_tokens: 5 } }] }))?.usage).toBeNull();
  });

  it('ignores a key that only ends like the wanted one', () => {
    expect(readUsage(openai, bytes({ 'x"usage': { prompt_tokens: 9 } }))).toBeNull();
    expect(
      readUsage(openai, bytes({ usage: { prompt_tokens: 5 }, 'x"usage': { prompt_tokens: 9 } }))?.inputTokens,
    ).toBe(5);
  });

  it.each([
    ['a response without usage', '{"id":"1"}'],
    ['a truncated response', '{"id":1'],
    ['a truncated usage object', '{"usage":{"prompt_tokens":5'],
    [
      'counts that overflow',
      '{"usage":{"prompt_tokens":1e308,"completion_tokens":1e308,"total_tokens":1e309}}',
    ],
    ['counts of wrong types', '{"usage":{"prompt_tokens":"5","completion_tokens":null,"total_tokens":{}}}'],
    ['negative counts', '{"usage":{"prompt_tokens":-5,"completion_tokens":1}}'],
    ['fractions', '{"usage":{"prompt_tokens":0.5,"completion_tokens":1}}'],
    ['HTML', '<html>captive portal</html>'],
    ['an empty response', ''],
    ['deep nesting', '['.repeat(200_000)],
  ])('reads no usage from %s, so that it is never billed as zero', (_, text) => {
    expect(readUsage(openai, Buffer.from(text, 'utf8'))).toBeNull();
  });

  it('does not fail on invalid UTF-8', () => {
    const body = Buffer.concat([
      Buffer.from('{"a":"'),
      Buffer.from([0xff]),
      Buffer.from('","usage":{"prompt_tokens":5}}'),
    ]);
    expect(readUsage(openai, body)?.inputTokens).toBe(5);
  });
});

describe('readResponse model', () => {
  it.each([
    ['{"id":"1","model":"gpt-4o-2024-08-06"}', 'gpt-4o-2024-08-06'],
    ['{"id":"1","model":"gpt\\u002d4o"}', 'gpt-4o'],
    ['{"id":"1","model":5}', null],
    ['{"id":"1"', null],
    ['', null],
  ])('reads from %p the model %p', (text, model) => {
    expect(readResponse(openai, Buffer.from(text, 'utf8')).model).toBe(model);
  });
});

describe('readUsageAtEnd', () => {
  const at = (end: string): unknown => readUsageAtEnd(openai, Buffer.from(end));
  const usage = '"usage":{"prompt_tokens":3,"completion_tokens":4}';
  const read = expect.objectContaining({ inputTokens: 3, outputTokens: 4 }) as unknown;

  it('reads the response’s own usage, with or without members after it', () => {
    expect(at(`aaaa"}],${usage}}`)).toEqual(read);
    expect(at(`aaaa"}], ${usage} , "model":"m","x":[{}]} \n`)).toEqual(read);
  });

  it('ignores usage inside a nested value, in a text, or cut off', () => {
    expect(at(`aaaa"}],"data":[{${usage}}]}`)).toBeNull();
    expect(at(`aaaa \\"usage\\":{}"}`)).toBeNull();
    expect(at(`aaaa"}],${usage}`)).toBeNull();
    expect(at('aaaa"}]}')).toBeNull();
  });

  it('reads the provider’s own member names', () => {
    const end = Buffer.from(
      'x"}],"usageMetadata":{"promptTokenCount":3,"candidatesTokenCount":4},"modelVersion":"m"}',
    );
    expect(readUsageAtEnd(provider('google'), end)).toEqual(read);
  });
});
