import { compileConfig, validateConfig } from '@gw/config-schema';
import { expressionsMadeBy, readCases } from '@gw/testing';
import { compileWrittenOut } from './compile';
import { CHECKS } from './index';
import type { JsonObject } from './json';

/** Takes twice the steps for each further `a` on an engine that backtracks. */
const CATASTROPHIC = '^(a+)+$';
/** As regexMatch takes it, too. */
const PATTERNS = [CATASTROPHIC, `/${CATASTROPHIC}/i`];
const NAMES = ['pattern', 'patternProperties', '$regex', 'rule', 'regex', 'match', 'value'];

const isNode = (value: unknown): value is object => typeof value === 'object' && value !== null;

/** The document once for each place in it that could hold a pattern: a text there replaced, or a member added to an object. */
function withPatterns(document: object): readonly object[] {
  const variants: object[] = [];
  const visit = (node: object, change: (next: unknown) => object): void => {
    const members = Object.entries(node) as [string, unknown][];
    const withMember = (name: string, value: unknown): object =>
      Array.isArray(node)
        ? change(node.map((item: unknown, at) => (String(at) === name ? value : item)))
        : change({ ...node, [name]: value });
    for (const [name, value] of members) {
      if (isNode(value)) visit(value, (next) => withMember(name, next));
      else for (const pattern of PATTERNS) variants.push(withMember(name, pattern));
    }
    if (Array.isArray(node)) return;
    for (const name of NAMES) variants.push(withMember(name, CATASTROPHIC));
    variants.push(withMember('patternProperties', { [CATASTROPHIC]: {} }));
  };
  visit(document, (next) => next as object);
  return variants;
}

const ofPattern = (sources: readonly string[]): readonly string[] =>
  sources.filter((source) => source.includes('(a+)+'));

describe('a catastrophic pattern at every place of a document', () => {
  it('is no expression of the engine that backtracks in any check of a guardrail', async () => {
    const schema = { properties: { properties: { properties: { default: { items: { anyOf: [{}] } } } } } };
    const documents = [
      ...CHECKS.map(({ id, example }) => ({ [id]: example })),
      { 'default.jsonSchema': { schema } },
    ].flatMap(withPatterns);
    let compiled = 0;
    const made = await expressionsMadeBy(() => {
      for (const document of documents) if (compileWrittenOut(document as JsonObject).ok) compiled += 1;
    });
    expect(ofPattern(made)).toEqual([]);
    expect(documents.length).toBeGreaterThan(1_000);
    expect(compiled).toBeGreaterThan(100);
  });

  it('is no expression of the engine that backtracks in any config', async () => {
    const { cases } = readCases('configs.json') as { cases: readonly { config?: unknown }[] };
    const seeds = cases.flatMap(({ config }) =>
      isNode(config) && validateConfig(config).ok ? [config] : [],
    );
    const documents = seeds.flatMap(withPatterns).slice(0, 4_000);
    let compiled = 0;
    const made = await expressionsMadeBy(() => {
      for (const document of documents) {
        const verdict = validateConfig(document);
        if (!verdict.ok) continue;
        compileConfig(verdict.config);
        compiled += 1;
      }
    });
    expect(ofPattern(made)).toEqual([]);
    expect(compiled).toBeGreaterThan(50);
  });

  it('would be noticed, made by the constructor or by a method of strings', async () => {
    const engine = globalThis as unknown as { RegExp: RegExpConstructor };
    const made = await expressionsMadeBy(() => {
      Reflect.construct(engine.RegExp, [CATASTROPHIC]);
      Reflect.apply(engine.RegExp, null, [CATASTROPHIC]);
      for (const name of ['match', 'search', 'matchAll'] as const)
        Reflect.apply(String.prototype[name], 'text', [CATASTROPHIC, 'g']);
    });
    expect(ofPattern(made).length).toBeGreaterThanOrEqual(4);
  });
});
