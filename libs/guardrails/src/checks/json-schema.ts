import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020';
import addFormats from 'ajv-formats';
import { defineCheck, type ParameterReport } from '../check';
import type { JsonObject } from '../json';
import { NOT_PARAMETER, object, scopeParameter, someTexts } from '../parameters';
import type { Scope } from '../text/scope';
import { jsonIn } from './json-in-text';
import { schemaFault } from './safe-schema';

export const jsonSchema = defineCheck<{ schema: JsonObject; not: boolean; scope: readonly Scope[] }>({
  id: 'default.jsonSchema',
  doc: 'Every text holds JSON that matches the schema (draft 2020-12), alone, in a fenced block or between words.',
  kind: 'text',
  stages: ['input', 'output'],
  deterministic: true,
  wholeAnswer: true,
  transforms: false,
  timeoutMs: 1_000,
  parameters: object(
    { schema: { type: 'object' }, not: NOT_PARAMETER, scope: scopeParameter('last_message') },
    ['schema'],
  ),
  example: {
    schema: { type: 'object', required: ['name'], properties: { name: { type: 'string' } } },
    not: false,
    scope: ['last_message'],
  },
  prepare({ schema, not, scope }, report) {
    const matches = compileSchema(schema, report);
    return {
      evaluate(subject) {
        const texts = someTexts(subject, scope).map(jsonIn);
        const holds = texts.every((values) => values.some((value) => matches?.(value) === true));
        const found = texts.reduce((sum, values) => sum + values.length, 0);
        return { verdict: holds !== not, data: { found, not } };
      },
    };
  },
});

/** A schema of its own instance: names of one guardrail's schema are not seen by another's. */
function compileSchema(schema: JsonObject, report: ParameterReport): ValidateFunction | null {
  const fault = schemaFault(schema);
  if (fault) {
    report(fault.path, fault.rule, fault.message, undefined);
    return null;
  }
  try {
    const ajv = new Ajv2020({ allErrors: false, strict: false, validateFormats: true, logger: false });
    addFormats(ajv, { mode: 'fast', formats: ['date', 'date-time', 'time', 'uuid', 'ipv4', 'ipv6'] });
    return ajv.compile(schema);
  } catch {
    report(['schema'], 'schema', 'is not a JSON Schema of draft 2020-12 that stands by itself', undefined);
    return null;
  }
}
