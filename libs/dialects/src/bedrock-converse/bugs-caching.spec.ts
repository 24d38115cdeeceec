import type { JsonObject } from '../call';
import { lostOfChat, ofChat, ofMessages, OPUS, refusal } from './spec-facts';

const TOOLS = [{ type: 'function', function: { name: 'f', parameters: { type: 'object', properties: {} } } }];
const USER = { role: 'user', content: 'Hi' };

describe('known bugs of other gateways: caching, ids and versions', () => {
  const text = (name: string, ttl?: string): JsonObject => ({
    type: 'text',
    text: name,
    cache_control: { type: 'ephemeral', ...(ttl === undefined ? {} : { ttl }) },
  });

  it('of more than four cache points, the first of the prefix and the last three are kept', () => {
    const content = ['a', 'b', 'c', 'd'].map((name) => text(name));
    const body = ofMessages({ system: [text('S')], messages: [{ role: 'user', content }] });
    const point = { cachePoint: { type: 'default' } };
    expect(body['system']).toEqual([{ text: 'S' }, point]);
    expect((body['messages'] as JsonObject[])[0]?.['content']).toEqual([
      { text: 'a' },
      { text: 'b' },
      point,
      { text: 'c' },
      point,
      { text: 'd' },
      point,
    ]);
  });

  it('a ttl of 1h after one of 5m is a 400', () => {
    const content = [text('a', '5m'), text('b', '1h')];
    expect(refusal(() => ofMessages({ messages: [{ role: 'user', content }] }))).toEqual([
      'validation_failed',
      'messages.0.content.1.cache_control',
    ]);
  });

  it('the mark of a whole request is at its end', () => {
    const body = ofMessages({ cache_control: { type: 'ephemeral', ttl: '1h' }, messages: [USER] });
    expect((body['messages'] as JsonObject[])[0]?.['content']).toEqual([
      { text: 'Hi' },
      { cachePoint: { type: 'default', ttl: '1h' } },
    ]);
  });

  it('a schema for the newest Claude is a forced tool; with other tools it is a 400', () => {
    const schema = {
      type: 'object',
      properties: { a: { type: 'string' } },
      required: ['a'],
      additionalProperties: false,
    };
    const format = { type: 'json_schema', json_schema: { name: 'n', schema, strict: true } };
    const body = ofChat({ response_format: format }, OPUS);
    expect(body).toMatchObject({
      toolConfig: {
        tools: [{ toolSpec: { name: 'json_output', inputSchema: { json: schema } } }],
        toolChoice: { tool: { name: 'json_output' } },
      },
    });
    expect(body).not.toHaveProperty('outputConfig');
    expect(lostOfChat({ response_format: format }, OPUS)).toContain('response_format=approximated');
    expect(refusal(() => ofChat({ response_format: format, tools: TOOLS }, OPUS))).toEqual([
      'unsupported_by_provider',
      'response_format',
    ]);
    expect(
      lostOfChat({ tools: [{ ...TOOLS[0], function: { ...TOOLS[0]?.function, strict: true } }] }, OPUS),
    ).toContain('tools.0.strict=dropped');
  });

  it('constraints that Claude does not enforce move into the description', () => {
    const schema = { type: 'object', properties: { a: { type: 'integer', minimum: 1 } }, required: ['a'] };
    const body = ofChat({ response_format: { type: 'json_schema', json_schema: { name: 'n', schema } } });
    const { structure } = (body['outputConfig'] as { textFormat: { structure: { jsonSchema: JsonObject } } })
      .textFormat;
    expect(structure.jsonSchema['name']).toBe('n');
    expect(JSON.parse(String(structure.jsonSchema['schema']))).toEqual({
      type: 'object',
      properties: { a: { type: 'integer', description: '{minimum: 1}' } },
      required: ['a'],
      additionalProperties: false,
    });
  });

  it('zeros are sent', () => {
    const body = ofChat({ temperature: 0, top_p: 0, max_tokens: 0, top_k: 0 });
    expect(body['inferenceConfig']).toEqual({ maxTokens: 0, temperature: 0, topP: 0 });
    expect(body['additionalModelRequestFields']).toEqual({ top_k: 0 });
  });
});
