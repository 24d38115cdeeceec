import { Ajv2020 } from 'ajv/dist/2020';
import { findCheck } from './catalogue';
import { CHECKS } from './checks';
import { compileGuardrail } from './compile';

const DEFAULT_IDS = [
  'regexMatch',
  'regexReplace',
  'contains',
  'wordCount',
  'characterCount',
  'sentenceCount',
  'jsonSchema',
  'jsonKeys',
  'validUrls',
  'containsCode',
  'alluppercase',
  'alllowercase',
  'isAllLowerCase',
  'endsWith',
  'notNull',
  'modelWhitelist',
  'modelwhitelist',
  'modelRules',
  'allowedRequestTypes',
  'requiredMetadataKeys',
  'requiredMetadataKeyPairs',
  'jwt',
  'addPrefix',
  'webhook',
  'log',
  'requestParametersCheck',
  'requestParams',
  'inlineImageUrls',
];

describe('check catalogue', () => {
  it.each(DEFAULT_IDS)('has default.%s, with and without the plugin prefix', (id) => {
    expect(findCheck(`default.${id}`)).toBeDefined();
    expect(findCheck(id)).toBe(findCheck(`default.${id}`));
  });

  it('gives no two checks the same name', () => {
    const names = CHECKS.flatMap(({ id, aliases = [] }) => [id, ...aliases]).map((id) => id.toLowerCase());
    expect(new Set(names).size).toBe(names.length);
  });

  it.each(CHECKS.map((check) => [check.id, check] as const))(
    'describes %s with a schema that accepts its example and refuses unknown members',
    (id, check) => {
      expect(check.doc).toMatch(/\.$/);
      expect(check.stages.length).toBeGreaterThan(0);
      expect(new Ajv2020({ strict: true, allowUnionTypes: true }).validateSchema(check.parameters)).toBe(
        true,
      );
      expect(compileGuardrail({ checks: [{ id, parameters: check.example }] })).toMatchObject({ ok: true });
      const more = { ...check.example, surprise: 1 };
      expect(compileGuardrail({ checks: [{ id, parameters: more }] })).toMatchObject({
        ok: false,
        details: [{ path: 'checks.0.parameters.surprise', rule: 'unknown_key' }],
      });
    },
  );

  it.each(CHECKS.map((check) => [check.id, check] as const))(
    'gives %s the timeout of its parameter, and its own timeout without one',
    (id, { example, stages: [stage = 'input'], timeoutMs, timeoutParameter, parameters }) => {
      const timeoutWith = (given: object): unknown => {
        const result = compileGuardrail({ checks: [{ id, parameters: { ...example, ...given } }] });
        return result.ok ? result.guardrail[stage][0]?.timeoutMs : result.details;
      };
      const names = Object.keys(parameters['properties'] as object).filter((name) => /timeout/i.test(name));
      expect(names).toEqual(timeoutParameter === undefined ? [] : [timeoutParameter]);
      for (const name of names) expect(timeoutWith({ [name]: 1_234 })).toBe(1_234);
      expect(timeoutWith(Object.fromEntries(names.map((name) => [name, undefined])))).toBe(timeoutMs);
    },
  );
});
