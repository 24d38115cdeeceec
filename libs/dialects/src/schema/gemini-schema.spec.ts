import { GatewayError } from '@gw/kernel';
import type { JsonObject } from '../call';
import { translated } from '../spec-support/anthropic-translations';
import { openApiSchema } from './gemini-schema';

const named = (count: number, value: unknown): JsonObject =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`p${String(index)}`, value]));

/** A schema whose properties all refer to one definition. */
const referring = (definition: JsonObject, count: number): JsonObject => ({
  type: 'object',
  $defs: { a: definition },
  properties: named(count, { $ref: '#/$defs/a' }),
});

/** Counts how often the members of an object are listed. */
function counted(object: JsonObject): { readonly listed: JsonObject; readonly lists: () => number } {
  let lists = 0;
  const listed = new Proxy(object, {
    ownKeys(target) {
      lists += 1;
      return Reflect.ownKeys(target);
    },
  });
  return { listed, lists: () => lists };
}

describe('a schema for models before Gemini 2.5', () => {
  it('is read once, however often it is referred to', () => {
    const { listed, lists } = counted({ type: 'string', ...named(100, 1) });
    expect(openApiSchema(referring(listed, 1_000), 'x')).toMatchObject({
      schema: { properties: { p999: { type: 'STRING' } } },
      relaxed: true,
    });
    expect(lists()).toBe(1);
  });

  it('has each of its types once', () => {
    const type = Array.from({ length: 9_000 }, (_, index) => (index % 2 === 0 ? 'string' : 'number'));
    expect(openApiSchema({ type }, 'x').schema).toEqual({ anyOf: [{ type: 'STRING' }, { type: 'NUMBER' }] });
  });

  it.each([
    ['a long text', { description: 'x'.repeat(10_000) }],
    ['many values', { enum: Array.from({ length: 10_000 }, () => 'v') }],
  ])('may not repeat %s without bound', (_name, definition) => {
    expect(() => openApiSchema(referring(definition, 1_000), 'x')).toThrow(GatewayError);
    expect(() => openApiSchema(referring(definition, 10), 'x')).not.toThrow();
  });

  it('counts with those of the other functions', () => {
    const parameters = referring({ type: 'string' }, 2_000);
    const tools = Array.from({ length: 20 }, (_, index) => ({
      type: 'function',
      function: { name: `f${String(index)}`, parameters },
    }));
    const gemini = { provider: 'gemini', model: 'gemini-2.0-flash' };
    expect(() => translated({ tools }, gemini)).toThrow(GatewayError);
    expect(() => translated({ tools: tools.slice(0, 5) }, gemini)).not.toThrow();
  });
});
