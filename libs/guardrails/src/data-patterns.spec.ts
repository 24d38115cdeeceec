import { CATASTROPHIC, expressionsMadeBy, madeOfPatterns, withPatterns } from '@gw/testing';
import { compileInline } from './compile';
import { CHECKS } from './index';
import type { JsonObject } from './json';

describe('compileInline with a catastrophic pattern at every place of a guardrail', () => {
  it('never passes the pattern to the backtracking engine', async () => {
    const schema = { properties: { properties: { properties: { default: { items: { anyOf: [{}] } } } } } };
    const documents = [
      ...CHECKS.map(({ id, example }) => ({ [id]: example })),
      { 'default.jsonSchema': { schema } },
    ].flatMap((document) => withPatterns(document, { isDeep: true }));
    let compiled = 0;
    const made = await expressionsMadeBy(() => {
      for (const document of documents) if (compileInline(document as JsonObject).ok) compiled += 1;
    });
    expect(madeOfPatterns(made)).toEqual([]);
    expect(documents.length).toBeGreaterThan(1_000);
    expect(compiled).toBeGreaterThan(100);
  });

  it('is observed through the RegExp constructor and string methods', async () => {
    const engine = globalThis as unknown as { RegExp: RegExpConstructor };
    const made = await expressionsMadeBy(() => {
      Reflect.construct(engine.RegExp, [CATASTROPHIC]);
      Reflect.apply(engine.RegExp, null, [CATASTROPHIC]);
      for (const name of ['match', 'search', 'matchAll'] as const)
        Reflect.apply(String.prototype[name], 'text', [CATASTROPHIC, 'g']);
    });
    expect(madeOfPatterns(made).length).toBeGreaterThanOrEqual(4);
  });
});
