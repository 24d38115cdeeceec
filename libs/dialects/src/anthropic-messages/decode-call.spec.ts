import { GatewayError } from '@gw/kernel';
import type { JsonObject } from '../call';
import { anthropicClient } from './index';
import { ANTHROPIC_CLIENT, lost, sent, translated } from '../spec-support/anthropic-translations';

const decode = (body: JsonObject): ReturnType<typeof anthropicClient.decodeCall> =>
  anthropicClient.decodeCall({
    model: 'm',
    max_tokens: 9,
    messages: [{ role: 'user', content: 'x' }],
    ...body,
  });

function refused(body: JsonObject): unknown {
  try {
    decode(body);
  } catch (thrown) {
    if (thrown instanceof GatewayError) return [thrown.type, thrown.options.param];
    throw thrown;
  }
  return null;
}

const content = (...blocks: unknown[]): JsonObject => ({ messages: [{ role: 'user', content: blocks }] });

describe('decodeCall', () => {
  it.each<[JsonObject, string]>([
    [{ model: undefined }, 'model'],
    [{ model: 5 }, 'model'],
    [{ max_tokens: undefined }, 'max_tokens'],
    [{ max_tokens: 1.5 }, 'max_tokens'],
    [{ max_tokens: -1 }, 'max_tokens'],
    [{ messages: undefined }, 'messages'],
    [{ messages: [] }, 'messages'],
    [{ messages: ['x'] }, 'messages.0'],
    [{ messages: [{ role: 'tool', content: 'x' }] }, 'messages.0.role'],
    [{ messages: [{ role: 'user' }] }, 'messages.0.content'],
    [{ messages: [{ role: 'user', content: 5 }] }, 'messages.0.content'],
    [{ messages: [{ role: 'system', content: 'x' }] }, 'messages'],
    [{ system: 5 }, 'system'],
    [{ system: [{ type: 'image', source: { type: 'url', url: 'https://a' } }] }, 'system.0'],
    [content({}), 'messages.0.content.0.type'],
    [content({ type: 'text' }), 'messages.0.content.0.text'],
    [content({ type: 'image' }), 'messages.0.content.0.source'],
    [content({ type: 'image', source: { type: 'zip' } }), 'messages.0.content.0.source.type'],
    [
      content({ type: 'image', source: { type: 'base64', data: 'A' } }),
      'messages.0.content.0.source.media_type',
    ],
    [content({ type: 'tool_use', id: 'a', name: 'f' }), 'messages.0.content.0.input'],
    [content({ type: 'tool_use', id: 'a', name: 'f', input: '{}' }), 'messages.0.content.0.input'],
    [content({ type: 'tool_result' }), 'messages.0.content.0.tool_use_id'],
    [
      content({ type: 'text', text: 'x', cache_control: { type: 'forever' } }),
      'messages.0.content.0.cache_control.type',
    ],
    [
      content({ type: 'text', text: 'x', cache_control: { type: 'ephemeral', ttl: '2h' } }),
      'messages.0.content.0.cache_control.ttl',
    ],
    [{ tools: {} }, 'tools'],
    [{ tools: [{ input_schema: {} }] }, 'tools.0.name'],
    [{ tools: [{ name: 'f' }] }, 'tools.0.input_schema'],
    [{ tool_choice: { type: 'sometimes' } }, 'tool_choice.type'],
    [{ tool_choice: { type: 'tool' } }, 'tool_choice.name'],
    [{ tool_choice: 'auto' }, 'tool_choice'],
    [{ stop_sequences: 'x' }, 'stop_sequences'],
    [{ temperature: '1' }, 'temperature'],
    [{ stream: 1 }, 'stream'],
    [{ thinking: {} }, 'thinking.type'],
    [{ thinking: { type: 'enabled' } }, 'thinking.budget_tokens'],
    [{ thinking: { type: 'enabled', budget_tokens: 0 } }, 'thinking.budget_tokens'],
    [{ output_config: { effort: 'huge' } }, 'output_config.effort'],
    [{ output_config: { format: { type: 'json' } } }, 'output_config.format.type'],
    [{ output_config: { format: { type: 'json_schema' } } }, 'output_config.format.schema'],
    [{ service_tier: 'gold' }, 'service_tier'],
    [{ metadata: 'x' }, 'metadata'],
    [{ metadata: { user_id: 5 } }, 'metadata.user_id'],
  ])('refuses %j at its path', (body, param) => {
    expect(refused(body)).toEqual(['validation_failed', param]);
  });

  it('treats null like an absent member', () => {
    const given = {
      system: null,
      tools: null,
      tool_choice: null,
      thinking: null,
      output_config: null,
      metadata: null,
    };
    expect(decode(given)).toEqual(decode({}));
  });

  it('reads a system message before the others as system text', () => {
    const messages = [
      { role: 'system', content: 'S' },
      { role: 'user', content: 'x' },
    ];
    expect(decode({ system: 'R', messages })).toMatchObject({
      system: [{ text: 'R' }, { text: 'S' }],
      turns: [{ role: 'user' }],
    });
  });

  it('marks a last assistant turn that ends in text as a prefill', () => {
    const turns = (last: JsonObject): unknown =>
      decode({
        messages: [
          { role: 'user', content: 'x' },
          { role: 'assistant', content: [last] },
        ],
      }).turns[1]?.prefill;
    expect(turns({ type: 'text', text: 'y' })).toBe(true);
    expect(turns({ type: 'tool_use', id: 'a', name: 'f', input: {} })).toBeUndefined();
    expect(turns({ type: 'server_tool_use', id: 'a', name: 'web_search', input: {} })).toBeUndefined();
  });

  it('reads the older form of output schemas', () => {
    const schema = { type: 'object' };
    expect(decode({ output_format: { type: 'json_schema', schema } })).toMatchObject({
      output: { kind: 'schema', schema },
      paths: { output: 'output_format' },
    });
  });

  it('keeps names of the object prototype as plain members', () => {
    const body = JSON.parse(
      '{"__proto__":{"polluted":1},"constructor":{"x":1},"messages":[{"role":"user","content":"x"}]}',
    ) as JsonObject;
    const call = decode(body);
    expect(call.x?.['anthropic-messages']).toEqual({ constructor: { x: 1 } });
    expect(({} as JsonObject)['polluted']).toBeUndefined();
  });

  it('refuses inputs and blocks that are nested too deep for the stack', () => {
    const deep = JSON.parse(`${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}`) as JsonObject;
    expect(refused(content({ type: 'tool_use', id: 'a', name: 'f', input: deep }))).toEqual([
      'validation_failed',
      'messages.0.content.0.input',
    ]);
    let block: JsonObject = { type: 'text', text: 'x' };
    for (let level = 0; level < 10_000; level += 1)
      block = { type: 'tool_result', tool_use_id: 'a', content: [block] };
    expect(refused(content(block))).toMatchObject([
      'validation_failed',
      expect.stringMatching(/^messages\.0\.content\.0\.content/),
    ]);
  });

  it('refuses more messages and blocks than are translated in one turn', () => {
    const block = { type: 'text', text: 'x' };
    expect(refused(content(...Array.from({ length: 20_001 }, () => block)))).toEqual([
      'validation_failed',
      'messages',
    ]);
    const result = {
      type: 'tool_result',
      tool_use_id: 'a',
      content: Array.from({ length: 20_000 }, () => block),
    };
    expect(refused(content(result))).toEqual(['validation_failed', 'messages']);
  });
});

describe('Messages calls for another provider', () => {
  it('record members that the provider does not have as losses', () => {
    const body = {
      max_tokens: 9,
      inference_geo: 'eu',
      thinking: { type: 'between_tools' },
      messages: [
        { role: 'user', content: [{ type: 'text', text: 'x', cache_control: { type: 'ephemeral' } }] },
      ],
    };
    expect(lost(body, ANTHROPIC_CLIENT)).toEqual(
      expect.arrayContaining(['inference_geo=dropped', 'thinking=dropped']),
    );
  });

  it('translate web search to Chat Completions', () => {
    const location = { type: 'approximate', city: 'Oslo', country: 'NO' };
    const tools = [{ type: 'web_search_20250305', name: 'web_search', user_location: location }];
    expect(sent({ max_tokens: 9, tools }, ANTHROPIC_CLIENT)).toMatchObject({
      web_search_options: {
        user_location: { type: 'approximate', approximate: { city: 'Oslo', country: 'NO' } },
      },
    });
  });

  it.each(['container', 'mcp_servers', 'context_management'])(
    'refuses a Messages call with the member %s',
    (name) => {
      expect(() => translated({ max_tokens: 9, [name]: {} }, ANTHROPIC_CLIENT)).toThrow(
        expect.objectContaining({
          type: 'unsupported_by_provider',
          options: expect.objectContaining({ param: name }) as object,
        }) as Error,
      );
    },
  );
});

describe('seals of other makers', () => {
  it('are restored on the part that they belong to', () => {
    const assistant = [
      { type: 'thinking', thinking: '', signature: 'g1.one' },
      { type: 'tool_use', id: 'a', name: 'f', input: {} },
      { type: 'tool_use', id: 'b', name: 'f', input: {} },
      { type: 'text', text: 'y' },
      { type: 'thinking', thinking: '', signature: 'g1.two' },
      { type: 'thinking', thinking: 'hm', signature: 'gw1.openai.enc' },
      { type: 'thinking', thinking: 'mine', signature: 'sig' },
    ];
    const [, turn] = decode({
      messages: [
        { role: 'user', content: 'x' },
        { role: 'assistant', content: assistant },
      ],
    }).turns;
    expect(turn?.parts).toMatchObject([
      { kind: 'tool_call', id: 'a', seal: { by: 'google', value: 'one' } },
      { kind: 'tool_call', id: 'b' },
      { kind: 'text', seal: { by: 'google', value: 'two' } },
      { kind: 'reasoning', text: 'hm', seal: { by: 'openai', value: 'enc' } },
      { kind: 'reasoning', text: 'mine', seal: { by: 'anthropic', value: 'sig' } },
    ]);
    expect(turn?.parts[1]).not.toHaveProperty('seal');
  });

  it('are never sent to Anthropic', () => {
    const content = [
      { type: 'thinking', thinking: 'hm', signature: 'gw1.openai.enc' },
      { type: 'thinking', thinking: '', signature: 'g1.one' },
      { type: 'text', text: 'y' },
    ];
    const messages = [
      { role: 'user', content: 'x' },
      { role: 'assistant', content },
      { role: 'user', content: 'z' },
    ];
    const body = sent({ max_tokens: 9, messages }, { client: 'anthropic-messages' });
    expect(JSON.stringify(body)).not.toMatch(/g1\.|gw1\.|enc|one/);
  });
});
