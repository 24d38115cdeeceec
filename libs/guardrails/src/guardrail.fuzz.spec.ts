import { mutatedJson } from '@gw/testing';
import fc from 'fast-check';
import { CHECKS } from './index';
import { compileInline } from './compile';
import type { JsonObject } from './json';

const SCHEMA = {
  $defs: { name: { type: 'string', minLength: 1 } },
  type: 'object',
  properties: { a: { $ref: '#/$defs/name' }, properties: { anyOf: [{ const: 1 }, { enum: [1, 2] }] } },
  additionalProperties: false,
};
const seeds = [
  ...CHECKS.map(({ id, example }) => ({ [id]: example, deny: true })),
  { 'default.jsonSchema': { schema: SCHEMA } },
];

describe('validation of randomly mutated guardrails', () => {
  it('returns a guardrail that compiles, or failures with their paths, and never throws', () => {
    fc.assert(
      fc.property(mutatedJson(seeds), (value) => {
        if (typeof value !== 'object' || value === null || Array.isArray(value)) return;
        const verdict = compileInline(value as JsonObject);
        if (!verdict.ok) expect(verdict.details.length).toBeGreaterThan(0);
      }),
    );
  });
});
