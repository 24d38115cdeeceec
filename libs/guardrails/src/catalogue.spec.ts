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
});
